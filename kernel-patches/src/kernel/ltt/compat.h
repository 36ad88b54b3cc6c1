/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between the kernel versions of the series; nothing else may. */
#ifndef _LTT_COMPAT_H
#define _LTT_COMPAT_H

#include <linux/buildid.h>
#include <linux/fdtable.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/syscore_ops.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#include <linux/vmcore_info.h>
#ifdef CONFIG_VMCORE_INFO
#define LTT_HAVE_VMCOREINFO
#endif
#else
#include <linux/crash_core.h>
#ifdef CONFIG_CRASH_CORE
#define LTT_HAVE_VMCOREINFO
#endif
#endif

/* Before 6.4 vhost's threads are kernel threads. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	0
#endif

static inline unsigned long ltt_do_mmap(struct file *file, unsigned long addr,
					unsigned long len, unsigned long prot,
					unsigned long pgoff)
{
	const unsigned long flags = MAP_SHARED | MAP_FIXED;
	unsigned long populate;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	return do_mmap(file, addr, len, prot, flags, 0, pgoff, &populate, NULL);
#else
	return do_mmap(file, addr, len, prot, flags, pgoff, &populate, NULL);
#endif
}

static inline void ltt_vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
				    vm_flags_t clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* Before 6.6 faults on file mappings hold mmap_lock always. */
static inline void ltt_release_fault_lock(struct vm_fault *vmf)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	release_fault_lock(vmf);
#else
	mmap_read_unlock(vmf->vma->vm_mm);
#endif
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
static inline int reserve_mem_find_by_name(const char *name, phys_addr_t *start,
					   phys_addr_t *size)
{
	return 0;
}
#endif

/*
 * Before 6.3 a page that userfaultfd has yet to bring cannot be pinned for long,
 * as nothing may be waited for: let it come first.
 */
static inline void ltt_fault_in_writeable(unsigned long address)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	fault_in_safe_writeable((const char __user *)address, 1);
#endif
}

/* Under the lock of the table. */
static inline bool ltt_close_on_exec(unsigned int fd, struct files_struct *files)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return close_on_exec(fd, files);
#else
	return close_on_exec(fd, files_fdtable(files));
#endif
}

/* Of a mapped file, as far as it is in memory now: nothing is waited for. */
static inline int ltt_build_id(struct vm_area_struct *vma, unsigned char *id, u32 *size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return build_id_parse_nofault(vma, id, size);
#else
	return build_id_parse(vma, id, size);
#endif
}

/* What LTT_SYSCORE() defined is called around the sleep of the machine from now on. */
#ifdef LTT_HAVE_SYSCORE_DATA
#define LTT_SYSCORE(name, on_suspend, on_resume)			\
	static int name##_suspend(void *data) { return on_suspend(); }	\
	static void name##_resume(void *data) { on_resume(); }		\
	static const struct syscore_ops name##_ops = {			\
		.suspend	= name##_suspend,			\
		.resume		= name##_resume,			\
	};								\
	static struct syscore name = { .ops = &name##_ops }
#define ltt_register_syscore(syscore) register_syscore(syscore)
#else
#define LTT_SYSCORE(name, on_suspend, on_resume)			\
	static struct syscore_ops name = {				\
		.suspend	= on_suspend,				\
		.resume		= on_resume,				\
	}
#define ltt_register_syscore(syscore) register_syscore_ops(syscore)
#endif

/* The tracepoint timer_start tells the bucket, no longer the flags. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define LTT_HAVE_TIMER_BUCKET
#endif

#endif /* _LTT_COMPAT_H */
