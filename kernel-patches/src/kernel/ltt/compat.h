/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between the kernel versions of the series; nothing else may. */
#ifndef _LTT_COMPAT_H
#define _LTT_COMPAT_H

#include <linux/mm.h>

static inline unsigned long ltt_do_mmap(struct file *file, unsigned long addr,
					unsigned long len, unsigned long prot,
					unsigned long pgoff)
{
	unsigned long populate;

	return do_mmap(file, addr, len, prot, MAP_SHARED | MAP_FIXED, 0, pgoff,
		       &populate, NULL);
}

static inline void ltt_vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set,
				    vm_flags_t clear)
{
	vm_flags_mod(vma, set, clear);
}

static inline void ltt_release_fault_lock(struct vm_fault *vmf)
{
	release_fault_lock(vmf);
}

#endif /* _LTT_COMPAT_H */
