// SPDX-License-Identifier: MIT
//
// Debian's libstdc++ is made for glibc. For the headers that markers include, this and
// c++locale.h beside it are all that has to be different on musl.
