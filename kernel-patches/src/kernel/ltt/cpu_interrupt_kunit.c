// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of cpu.c, which includes this file after cpu_kunit.c: events on top of events,
 * by interrupts and NMIs that come at any instruction.
 */

#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>

#include <asm/apic.h>
#include <asm/nmi.h>

/* What the task of a test wrote, and what was read of it and of those on top. */
struct test_totals {
	unsigned long	tried;
	unsigned long	written;
	unsigned long	read;
	u64		time;
};

/* Walks events that have their size in each byte; returns how many there are. */
static unsigned long walk(struct kunit *test, const u8 *data, u64 size, u64 *time)
{
	unsigned long n = 0;
	u64 at, header;

	for (at = 0; at < size; n++) {
		u8 bytes = data[at + sizeof(header)];

		memcpy(&header, data + at, sizeof(header));
		if ((u16)header != 1 || header >> 16 < *time || bytes < 16 ||
		    memchr_inv(data + at + sizeof(header), bytes,
			       bytes - sizeof(header))) {
			KUNIT_FAIL(test, "no event at %llu of %llu", at, size);
			return n;
		}
		*time = header >> 16;
		at += bytes;
	}
	return n;
}

static void read_all(struct kunit *test, struct test_totals *totals)
{
	struct ltt_range range;
	const u8 *data = NULL;

	while (next(&range, &data))
		totals->read += walk(test, data, range.end - range.start, &totals->time);
}

/* What an interrupt does. */
static unsigned long write_some(struct ltt_cpu *cpu)
{
	unsigned long written = 0;
	unsigned int i;

	for (i = 0; i < 3; i++)
		written += write_event(cpu, 24 + 8 * i);
	return written;
}

/* Until interrupts have come often enough to have come everywhere. */
static void write_beneath(struct kunit *test, struct ltt_cpu *cpu,
			  const unsigned long *interrupts, struct test_totals *totals)
{
	while (totals->tried < 50000 || READ_ONCE(*interrupts) < 100) {
		totals->written += write_event(cpu, 16 + totals->tried++ % 200);
		if (totals->tried % 64 == 0)
			read_all(test, totals);
	}
}

/* Nobody writes any more: all is there, once, or counted as lost. */
static void check_totals(struct kunit *test, struct ltt_cpu *cpu,
			 struct test_totals *totals, unsigned long interrupts,
			 unsigned long on_top)
{
	test_buf->flush++;
	read_all(test, totals);
	KUNIT_EXPECT_EQ(test, totals->read, totals->written + on_top);
	KUNIT_EXPECT_EQ(test, cpu->control.events, totals->written + on_top);
	KUNIT_EXPECT_EQ(test, cpu->control.events + cpu->control.lost,
			totals->tried + 3 * interrupts);
	KUNIT_EXPECT_EQ(test, cpu->control.writer, 0);
	KUNIT_EXPECT_EQ(test, cpu->control.commit, cpu->control.reserve);
}

struct test_timer {
	struct hrtimer	timer;
	struct ltt_cpu	*cpu;
	unsigned long	come;
	unsigned long	written;
};

static enum hrtimer_restart test_tick(struct hrtimer *timer)
{
	struct test_timer *tt = container_of(timer, struct test_timer, timer);
	u64 begin = ktime_get_ns();

	tt->written += write_some(tt->cpu);
	WRITE_ONCE(tt->come, tt->come + 1);
	/* However slow the machine is, most of the time is the task's. */
	hrtimer_forward_now(timer, ns_to_ktime(10000 + 20 * (ktime_get_ns() - begin)));
	return HRTIMER_RESTART;
}

static void test_interrupts(struct kunit *test)
{
	struct ltt_cpu *cpu = begin(test, LTT_MODE_DISCARD);
	struct test_timer tt = { .cpu = cpu };
	struct test_totals totals = {};

	hrtimer_init_on_stack(&tt.timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	tt.timer.function = test_tick;
	migrate_disable();
	hrtimer_start(&tt.timer, 0, HRTIMER_MODE_REL_PINNED_HARD);
	write_beneath(test, cpu, &tt.come, &totals);
	hrtimer_cancel(&tt.timer);
	migrate_enable();
	destroy_hrtimer_on_stack(&tt.timer);
	check_totals(test, cpu, &totals, tt.come, tt.written);
}

/* NMIs that another processor sends; one at a time, as two at once are one. */
static struct test_nmi_state {
	struct ltt_cpu	*cpu;
	unsigned int	processor;
	unsigned long	come;
	unsigned long	written;
} nmis;

static int test_nmi(unsigned int type, struct pt_regs *regs)
{
	if (smp_processor_id() != nmis.processor)
		return NMI_DONE;
	nmis.written += write_some(nmis.cpu);
	WRITE_ONCE(nmis.come, nmis.come + 1);
	return NMI_HANDLED;
}

static int test_send_nmis(void *data)
{
	unsigned long sent;

	for (sent = 1; !kthread_should_stop(); sent++) {
		apic->send_IPI_mask(cpumask_of(nmis.processor), NMI_VECTOR);
		while (READ_ONCE(nmis.come) < sent)
			cpu_relax();
		usleep_range(30, 60);
	}
	return 0;
}

/* @tsc: whatever clock the trace has, it is the counter here, or it is not. */
static void write_beneath_nmis(struct kunit *test, bool tsc)
{
	struct test_totals totals = {};
	struct task_struct *sender;
	struct ltt_cpu *cpu;
	unsigned int other;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs a second processor");
	cpu = begin(test, LTT_MODE_DISCARD);
	cpu->tsc = tsc;
	nmis = (struct test_nmi_state) { .cpu = cpu };
	sender = kthread_create(test_send_nmis, NULL, "ltt_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(sender));
	migrate_disable();
	nmis.processor = smp_processor_id();
	other = cpumask_any_but(cpu_online_mask, nmis.processor);
	kthread_bind(sender, other);
	register_nmi_handler(NMI_LOCAL, test_nmi, 0, "ltt_kunit");
	wake_up_process(sender);
	write_beneath(test, cpu, &nmis.come, &totals);
	kthread_stop(sender);
	unregister_nmi_handler(NMI_LOCAL, "ltt_kunit");
	migrate_enable();
	check_totals(test, cpu, &totals, nmis.come, nmis.written);
}

static void test_nmis(struct kunit *test)
{
	write_beneath_nmis(test, true);
	KUNIT_EXPECT_GT(test, nmis.written, nmis.come);
}

/* A clock under a lock that the NMI may have interrupted: what it writes is lost. */
static void test_nmis_without_tsc(struct kunit *test)
{
	write_beneath_nmis(test, false);
	KUNIT_EXPECT_EQ(test, nmis.written, 0);
}

static struct kunit_case cpu_interrupt_cases[] = {
	KUNIT_CASE(test_interrupts),
	KUNIT_CASE(test_nmis),
	KUNIT_CASE(test_nmis_without_tsc),
	{}
};

static struct kunit_suite cpu_interrupt_suite = {
	.name		= "ltt_cpu_interrupt",
	.exit		= exit_test,
	.test_cases	= cpu_interrupt_cases,
};

kunit_test_suite(cpu_interrupt_suite);
