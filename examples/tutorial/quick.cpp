// SPDX-License-Identifier: MIT
#include <chrono>
#include <thread>
#include <ust/ust.h>

static int cook(int order)
{
	UST_TRACE_SPAN("cook", "order", order);
	std::this_thread::sleep_for(std::chrono::milliseconds(5 + order * 7 % 4));
	return order * 3;
}

int main()
{
	for (int order = 1; order <= 4; ++order) {
		const int price = cook(order);
		UST_TRACE("served", "order", order, "price", price);
	}
}
