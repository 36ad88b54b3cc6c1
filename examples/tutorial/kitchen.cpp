// SPDX-License-Identifier: MIT
#include "kitchen_events.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <queue>
#include <thread>

using namespace std::chrono_literals;

static std::mutex tickets;
static std::queue<int> orders;

static int bad_order; // crashes whoever cooks it

static bool take(int &order)
{
	const std::lock_guard guard(tickets);
	if (orders.empty())
		return false;
	order = orders.front();
	orders.pop();
	UST(kitchen, waiting, orders.size());
	return true;
}

static void work()
{
	static const std::array dishes = {"soup", "pasta", "steak"};
	for (int order; take(order);) {
		UST_SPAN(kitchen, cook, order, dishes[static_cast<std::size_t>(order) % 3]);
		std::this_thread::sleep_for(3ms * (1 + order % 3));
		if (order == bad_order)
			std::raise(SIGSEGV);
		if (order == 7)
			UST(kitchen, burned, order);
		else
			UST(kitchen, served, order, 4.5 * (1 + order % 3));
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		bad_order = std::atoi(argv[1]);
	for (int order = 1; order <= 12; ++order)
		orders.push(order);
	std::array cooks = {std::thread(work), std::thread(work), std::thread(work)};
	for (std::thread &cook : cooks)
		cook.join();
}
