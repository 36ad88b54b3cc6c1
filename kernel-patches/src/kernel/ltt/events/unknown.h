/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls that syscalls.h does not list, and those of 32-bit programs, whose
 * numbers are other ones.
 *
 *	LTT_OTHER_CALL(name, LTT_FIELDS(...))
 *
 * where regs are the registers, id is the number and ret the result.
 */

LTT_OTHER_CALL(syscall_entry_unknown, LTT_FIELDS(LTT_INT(s32, id, id)
						 LTT_REGISTERS(args, regs)))
LTT_OTHER_CALL(syscall_exit_unknown, LTT_FIELDS(LTT_INT(s32, id, id)
						LTT_INT(s64, ret, ret)))
LTT_OTHER_CALL(compat_syscall_entry_unknown, LTT_FIELDS(LTT_INT(s32, id, id)
							LTT_REGISTERS(args, regs)))
LTT_OTHER_CALL(compat_syscall_exit_unknown, LTT_FIELDS(LTT_INT(s32, id, id)
						       LTT_INT(s64, ret, ret)))
