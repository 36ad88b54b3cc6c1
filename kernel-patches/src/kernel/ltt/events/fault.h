/* SPDX-License-Identifier: GPL-2.0 */
/* Page faults, of programs and of the kernel on their behalf. */

#define LTT_FAULT(name)							\
	LTT_EVENT(x86_exceptions_##name, name, NULL,			\
		  LTT_PROTO(unsigned long address, struct pt_regs *regs, \
			    unsigned long error_code),			\
		  LTT_ARGS(address, regs, error_code),			\
		  LTT_FIELDS(LTT_PTR(address, address)			\
			     LTT_PTR(ip, regs->ip)			\
			     LTT_HEX(u64, error_code, error_code)))

LTT_FAULT(page_fault_user)
LTT_FAULT(page_fault_kernel)
#undef LTT_FAULT
