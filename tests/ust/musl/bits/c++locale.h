// SPDX-License-Identifier: MIT
#pragma once

#include <clocale>

#define _GLIBCXX_NUM_CATEGORIES 0
namespace std
{
typedef int *__c_locale;
}
