/* SPDX-License-Identifier: MIT */
/*
 * Threads that sleep in a system call, one of each that other tracers made
 * return EINTR; for tests that disturb them meanwhile.
 */
#ifndef GUEST_SLEEPS_H
#define GUEST_SLEEPS_H

#include "streams.h"

#include <csignal>
#include <functional>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace sleeps
{

/* Counted by the handler, read by the instruction after a system call. */
inline volatile int handled;
inline ltt_gate gate;

inline void on_notification(int)
{
	handled = handled + 1;
}

/* What the sleeping child reports. */
struct Report {
	long result;
	int handled_after; /* by the first instruction after the call */
	int word;	   /* for the futex */
	bool done;
};

template <class A>
long word(A a)
{
	return (long)a;
}

/* A system call, and a look at the handler's count right behind it. */
template <class... Arguments>
void call(Report *report, long number, Arguments... arguments)
{
	long a[6] = {word(arguments)...};
	register long r10 asm("r10") = a[3];
	register long r8 asm("r8") = a[4];
	register long r9 asm("r9") = a[5];
	int seen;
	asm volatile("syscall\n\tmovl %[handled], %[seen]"
		     : "+a"(number), [seen] "=&r"(seen)
		     : "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8),
		     "r"(r9), [handled] "m"(handled)
		     : "rcx", "r11", "memory");
	report->result = number;
	report->handled_after = seen;
}

/* Two ends to hold a call up with, and to release it. */
struct Ends {
	int in, out;
	Report *report;
	pid_t child;
	int listener; /* with one connection in its queue, and no room for more */
	sockaddr_un address;
	socklen_t address_size;
};

/* Storage that a call needs until it returns; a child makes one call only. */
inline char buffer_of_read;
inline pollfd poll_set;
inline epoll_event epoll_set;
inline timespec duration;
inline sigset_t wanted;

inline void write_byte(Ends &ends)
{
	CHECK_EQ(write(ends.in, "x", 1), 1);
}

inline void wake_futex(Ends &e)
{
	syscall(SYS_futex, &e.report->word, FUTEX_WAKE, 1);
}

inline void nothing(Ends &) {}

inline timespec a_second()
{
	double seconds = 1 * ktap::patience();
	return {static_cast<time_t>(seconds),
		static_cast<long>(
			(seconds - static_cast<double>(static_cast<long>(seconds))) * 1e9)};
}

/* Descriptors that are made by a call: only that there is one counts. */
inline void any_descriptor(Report *report)
{
	if (report->result >= 0)
		report->result = 1;
}

inline void connect_to(Ends &e)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	call(e.report, SYS_connect, fd, &e.address, e.address_size);
}

inline void accept_from(Ends &e)
{
	REQUIRE_OK(accept(e.listener, nullptr, nullptr)); /* the one in its queue */
	call(e.report, SYS_accept4, e.listener, nullptr, nullptr, SOCK_CLOEXEC);
	any_descriptor(e.report);
}

inline void accept_one(Ends &e)
{
	CHECK_OK(accept(e.listener, nullptr, nullptr));
}

inline void connect_once(Ends &e)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	CHECK_OK(connect(fd, reinterpret_cast<sockaddr *>(&e.address), e.address_size));
	close(fd);
}

inline void wait_for_aio(Ends &e)
{
	aio_context_t context = 0;
	REQUIRE_OK(syscall(SYS_io_setup, 1, &context));
	static iocb control;
	control.aio_lio_opcode = IOCB_CMD_POLL;
	control.aio_fildes = static_cast<__u32>(e.out);
	control.aio_buf = POLLIN;
	iocb *list[] = {&control};
	REQUIRE_EQ(syscall(SYS_io_submit, context, 1, list), 1);
	static io_event event;
	call(e.report, SYS_io_getevents, context, 1, 1, &event, nullptr);
}

/* One request, by hand: there is no library in the guest. */
inline void wait_for_ring(Ends &e)
{
	io_uring_params p = {};
	long ring = syscall(SYS_io_uring_setup, 1, &p);
	REQUIRE_OK(ring);
	int fd = static_cast<int>(ring);
	auto map = [=](size_t size, off_t offset) {
		void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
		REQUIRE(at != MAP_FAILED);
		return static_cast<char *>(at);
	};
	char *queue = map(p.sq_off.array + p.sq_entries * sizeof(__u32), IORING_OFF_SQ_RING);
	auto *request =
		reinterpret_cast<io_uring_sqe *>(map(sizeof(io_uring_sqe), IORING_OFF_SQES));
	*request = {};
	request->opcode = IORING_OP_POLL_ADD;
	request->fd = e.out;
	request->poll32_events = POLLIN;
	*reinterpret_cast<__u32 *>(queue + p.sq_off.array) = 0;
	__atomic_store_n(reinterpret_cast<__u32 *>(queue + p.sq_off.tail), 1u, __ATOMIC_RELEASE);
	REQUIRE_EQ(syscall(SYS_io_uring_enter, fd, 1, 0, 0, nullptr, 0), 1);
	call(e.report, SYS_io_uring_enter, fd, 0, 1, IORING_ENTER_GETEVENTS, nullptr, 0);
}

struct Case {
	const char *name;
	long number;
	void (*sleep)(Ends &);	 /* in the child; one system call */
	void (*release)(Ends &); /* in the parent */
};

inline const std::vector<Case> &cases()
{
	static const std::vector<Case> list = {
		{"read", SYS_read,
			[](Ends &e) { call(e.report, SYS_read, e.out, &buffer_of_read, 1); },
			write_byte},
		{"poll", SYS_poll,
			[](Ends &e) {
				poll_set = {e.out, POLLIN, 0};
				call(e.report, SYS_poll, &poll_set, 1, -1);
			},
			write_byte},
		{"poll with a timeout", SYS_poll,
			[](Ends &e) {
				poll_set = {e.out, POLLIN, 0};
				call(e.report, SYS_poll, &poll_set, 1, 60000);
			},
			write_byte},
		{"ppoll", SYS_ppoll,
			[](Ends &e) {
				poll_set = {e.out, POLLIN, 0};
				call(e.report, SYS_ppoll, &poll_set, 1, nullptr, nullptr, 8);
			},
			write_byte},
		{"epoll_wait", SYS_epoll_wait,
			[](Ends &e) {
				int fd = epoll_create1(0);
				epoll_set.events = EPOLLIN;
				epoll_ctl(fd, EPOLL_CTL_ADD, e.out, &epoll_set);
				call(e.report, SYS_epoll_wait, fd, &epoll_set, 1, -1);
			},
			write_byte},
		{"nanosleep", SYS_nanosleep,
			[](Ends &e) {
				duration = a_second();
				call(e.report, SYS_nanosleep, &duration, nullptr);
			},
			nothing},
		{"clock_nanosleep", SYS_clock_nanosleep,
			[](Ends &e) {
				duration = a_second();
				call(e.report, SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &duration,
					nullptr);
			},
			nothing},
		{"futex", SYS_futex,
			[](Ends &e) {
				call(e.report, SYS_futex, &e.report->word, FUTEX_WAIT, 0, nullptr);
			},
			wake_futex},
		{"futex with a timeout", SYS_futex,
			[](Ends &e) {
				duration = {60, 0};
				call(e.report, SYS_futex, &e.report->word, FUTEX_WAIT, 0,
					&duration);
			},
			wake_futex},
		{"recv with SO_RCVTIMEO", SYS_recvfrom,
			[](Ends &e) {
				timeval limit = {60, 0};
				setsockopt(e.out, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
				call(e.report, SYS_recvfrom, e.out, &buffer_of_read, 1, 0, nullptr,
					nullptr);
			},
			write_byte},
		{"semop", SYS_semop,
			[](Ends &e) {
				static sembuf down = {0, -1, 0};
				call(e.report, SYS_semop, e.report->word, &down, 1);
			},
			[](Ends &e) {
				sembuf up = {0, 1, 0};
				semop(e.report->word, &up, 1);
			}},
		{"msgrcv", SYS_msgrcv,
			[](Ends &e) {
				static char message[16];
				call(e.report, SYS_msgrcv, e.report->word, message, 1, 0, 0);
			},
			[](Ends &e) {
				struct {
					long type;
					char text;
				} message = {1, 'x'};
				msgsnd(e.report->word, &message, 1, IPC_NOWAIT);
			}},
		{"sigtimedwait", SYS_rt_sigtimedwait,
			[](Ends &e) {
				sigemptyset(&wanted);
				sigaddset(&wanted, SIGUSR1);
				duration = {60, 0};
				call(e.report, SYS_rt_sigtimedwait, &wanted, nullptr, &duration, 8);
			},
			[](Ends &e) { kill(e.child, SIGUSR1); }},
		{"wait4", SYS_wait4,
			[](Ends &e) {
				pid_t pid = fork();
				if (pid == 0) {
					char byte;
					_exit(read(e.out, &byte, 1) == 1 ? 0 : 1);
				}
				call(e.report, SYS_wait4, pid, nullptr, 0, nullptr);
				e.report->result = e.report->result == pid ? 1 : e.report->result;
			},
			write_byte},
		{"sem_timedwait", SYS_futex,
			[](Ends &e) {
				clock_gettime(CLOCK_REALTIME, &duration);
				duration.tv_sec += 60;
				/* As the C library does it. */
				call(e.report, SYS_futex, &e.report->word,
					FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &duration,
					nullptr, FUTEX_BITSET_MATCH_ANY);
			},
			wake_futex},
		{"write", SYS_write,
			[](Ends &e) {
				/* Until the other end's queue is full. */
				static char block[4096];
				fcntl(e.out, F_SETFL, O_NONBLOCK);
				while (write(e.out, block, sizeof(block)) > 0)
					;
				while (write(e.out, block, 1) > 0)
					;
				fcntl(e.out, F_SETFL, 0);
				call(e.report, SYS_write, e.out, block, 1);
			},
			[](Ends &e) {
				static char block[65536];
				while (recv(e.in, block, sizeof(block), MSG_DONTWAIT) > 0)
					;
			}},
		{"connect", SYS_connect, connect_to, accept_one},
		{"accept4", SYS_accept4, accept_from, connect_once},
		{"io_getevents", SYS_io_getevents, wait_for_aio, write_byte},
		{"io_uring_enter", SYS_io_uring_enter, wait_for_ring, write_byte},
	};
	return list;
}

/* A child of the caller that sleeps in a case's call. */
class Sleeper
{
public:
	Sleeper(const Case &chosen, bool registered) : c(chosen)
	{
		int pair[2];
		REQUIRE_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
		ends.in = pair[0];
		ends.out = pair[1];
		ends.report = ktap::shared<Report>();
		if (c.number == SYS_semop)
			ends.report->word = semget(IPC_PRIVATE, 1, 0600);
		if (c.number == SYS_msgrcv)
			ends.report->word = msgget(IPC_PRIVATE, 0600);
		listen_on_a_socket();
		ends.child = ktap::spawn([&] {
			sigset_t set;
			sigemptyset(&set);
			sigaddset(&set, SIGUSR1);
			sigprocmask(SIG_BLOCK, &set, nullptr);
			if (registered)
				register_process();
			c.sleep(ends);
			__atomic_store_n(&ends.report->done, true, __ATOMIC_RELEASE);
		});
		WAIT_UNTIL(asleep());
	}

	Sleeper(const Sleeper &) = delete;
	Sleeper &operator=(const Sleeper &) = delete;

	pid_t pid() const { return ends.child; }
	bool done() const { return __atomic_load_n(&ends.report->done, __ATOMIC_ACQUIRE); }

	bool asleep() const
	{
		long number = ktap::blocked_in(ends.child);
		return ktap::state_of(ends.child) == 'S' &&
		       (number == c.number || number == SYS_restart_syscall);
	}

	/* Returns when it sleeps again, or did not. */
	void stop_and_continue(const std::function<void()> &while_stopped)
	{
		REQUIRE_OK(kill(ends.child, SIGSTOP));
		WAIT_UNTIL(ktap::state_of(ends.child) == 'T');
		while_stopped();
		REQUIRE_OK(kill(ends.child, SIGCONT));
		WAIT_UNTIL(done() || asleep());
	}

	/* Lets its call end, and says how it did. */
	Report finish()
	{
		if (!done())
			c.release(ends);
		CHECK_EQ(ktap::wait_for(ends.child), 0);
		if (c.number == SYS_semop)
			semctl(ends.report->word, 0, IPC_RMID);
		if (c.number == SYS_msgrcv)
			msgctl(ends.report->word, IPC_RMID, nullptr);
		Report report = *ends.report;
		munmap(ends.report, sizeof(Report));
		for (int fd : {ends.in, ends.out, ends.listener, filling})
			close(fd);
		return report;
	}

private:
	static void register_process()
	{
		ltt::handle_signal(on_notification);
		ltt_registration r = {};
		r.signal = LTT_SIGNAL_DEFAULT;
		r.gate = reinterpret_cast<unsigned long>(&gate);
		REQUIRE_EQ(ltt_register(&r, sizeof(r)), 0);
	}

	void listen_on_a_socket()
	{
		auto *address = reinterpret_cast<sockaddr *>(&ends.address);
		ends.listener = socket(AF_UNIX, SOCK_STREAM, 0);
		ends.address.sun_family = AF_UNIX;
		/* The kernel gives it a name. */
		REQUIRE_OK(bind(ends.listener, address, sizeof(sa_family_t)));
		ends.address_size = sizeof(ends.address);
		REQUIRE_OK(getsockname(ends.listener, address, &ends.address_size));
		REQUIRE_OK(listen(ends.listener, 0));
		filling = socket(AF_UNIX, SOCK_STREAM, 0);
		REQUIRE_OK(connect(filling, address, ends.address_size));
	}

	const Case &c;
	Ends ends = {};
	int filling = -1; /* is in the listener's queue */
};

} // namespace sleeps

#endif /* GUEST_SLEEPS_H */
