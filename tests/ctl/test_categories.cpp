// SPDX-License-Identifier: MIT
#include <catch2/catch.hpp>

#include "lib/categories.h"
#include "lib/libraries.h"
#include "lib/text.h"
#include "support/refusal.h"

namespace
{

ltt::Object object(const std::string &name, const std::vector<ltt::Category> &categories)
{
	ltt::Object o;
	o.name = name;
	o.definitions.categories = categories;
	return o;
}

} // namespace

TEST_CASE("a mask is shown by a program's own names first, then by number and standard ones")
{
	const std::vector<ltt::Category> own = {{8, "shop:orders", ""}, {2, "shop:visits", ""}};
	CHECK(ltt::filter_text(8, own) == "shop:orders");
	CHECK(ltt::filter_text(8 | 2 | 1 | UST_CATEGORY_NET, own) ==
		"shop:orders,shop:visits,bit0,net");
	CHECK(ltt::filter_text(0, own) == "none");
}

TEST_CASE("a category is looked for in all objects, and known ones are named once, in order")
{
	const std::vector<ltt::Object> objects = {
		object("shop", {{8, "shop:orders", ""}, {2, "shop:visits", ""}}),
		object("lib", {{4, "a:stock", ""}, {16, "shop:orders", ""}})};
	CHECK(ltt::category_bits("shop:visits", objects, "shop") == 2);
	CHECK(ltt::category_bits("a:stock", objects, "shop") == 4);
	// Whoever means the name means each of its bits.
	CHECK(ltt::category_bits("shop:orders", objects, "shop") == 24);
	CHECK(misuse([&] { ltt::category_bits("shop:order", objects, "./shop"); }) ==
		"there is no category shop:order in ./shop; there are a:stock, shop:orders, "
		"shop:visits");
	CHECK(misuse([&] { ltt::category_bits("a:\n", {}, "./shop"); }) ==
		"there is no category a:? in ./shop, which names none");
}

TEST_CASE("a filter asks for names with a colon only, and joins them with the others")
{
	std::vector<std::string> asked;
	auto look_up = [&](const std::string &name) {
		asked.push_back(name);
		return 8U;
	};
	CHECK(ltt::parse_filter("bit0,net", look_up) == (1 | UST_CATEGORY_NET));
	CHECK(ltt::parse_filter("all", look_up) == 0xffffffff);
	CHECK(asked.empty());
	CHECK(ltt::parse_filter("bit0,shop:orders,a:b", look_up) == 9);
	CHECK(asked == std::vector<std::string>{"shop:orders", "a:b"});
}

TEST_CASE("libraries are what the dynamic linker lists, without itself and the kernel's")
{
	CHECK(ltt::parse_library_list("\tlinux-vdso.so.1 (0x00007ffe)\n"
				      "\tlibstock.so => /a b/libstock.so (0x00007f01)\n"
				      "\tlibnone.so => not found\n"
				      "\tlibc.so.6 => /lib/libc.so.6 (0x00007f02)\n"
				      "\t/lib64/ld-linux-x86-64.so.2 (0x00007f03)\n"
				      "\todd => (0x1)\n") ==
		std::vector<std::string>{"/a b/libstock.so", "/lib/libc.so.6"});
	CHECK(ltt::parse_library_list("").empty());
}
