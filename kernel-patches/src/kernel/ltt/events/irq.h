/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts of devices, and what they leave for later. */

LTT_EVENT(irq_handler_entry, irq_handler_entry, NULL,
	  LTT_PROTO(int irq, struct irqaction *action),
	  LTT_ARGS(irq, action),
	  LTT_FIELDS(LTT_INT(s32, irq, irq)
		     LTT_TEXT(name, action->name)))

LTT_EVENT(irq_handler_exit, irq_handler_exit, NULL,
	  LTT_PROTO(int irq, struct irqaction *action, int ret),
	  LTT_ARGS(irq, action, ret),
	  LTT_FIELDS(LTT_INT(s32, irq, irq)
		     LTT_INT(s32, ret, ret)))

#define LTT_SOFTIRQ(name)						\
	LTT_EVENT(irq_##name, name, NULL,				\
		  LTT_PROTO(unsigned int vec_nr), LTT_ARGS(vec_nr),	\
		  LTT_FIELDS(LTT_INT(u32, vec, vec_nr)))

LTT_SOFTIRQ(softirq_entry)
LTT_SOFTIRQ(softirq_exit)
LTT_SOFTIRQ(softirq_raise)
#undef LTT_SOFTIRQ
