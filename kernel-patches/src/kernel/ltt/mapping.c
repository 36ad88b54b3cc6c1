// SPDX-License-Identifier: GPL-2.0
/*
 * The mapping of a buffer into its thread's address space.
 *
 *	address	   + 1 page	  + 2 pages
 *	| trace page | control page | sub-buffer 0 | sub-buffer 1 | ...
 *	`-- VMA, ----'`---------------- VMA, read and write -----------'
 *	    read only
 *
 * Both are shared mappings of the trace's anonymous file, each buffer at page
 * offsets of its own, so that unmap_mapping_range() can take its pages back.
 * The program can neither make the first one writable nor split, move or grow
 * them; unmapping is its own loss.
 */

#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/pseudo_fs.h>
#include <linux/relay.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "internal.h"

#define LTT_FS_MAGIC	0x4c545446	/* "LTTF" */

/* Pages of the largest buffer that is mapped at once. */
#define LTT_AROUND_PAGES	16

struct vfsmount *ltt_mnt;
static const struct vm_operations_struct ltt_vm_ops;

static size_t ltt_mapping_size(const struct ltt_buffer *buf)
{
	size_t data = (size_t)buf->trace->subbuf_size * buf->trace->n_subbufs;

	return (LTT_DATA_PAGE << PAGE_SHIFT) + data;
}

static bool ltt_vma_is_trace_page(struct vm_area_struct *vma)
{
	return !(vma->vm_flags & VM_MAYWRITE);
}

/*
 * fork() copies a mapping. The child gets its own, fresh buffer at the same
 * address, when it first touches it; until then a stub that knows where to go on:
 * an interrupted marker of the parent may finish in the child. The trace page's
 * mapping comes first, and makes the stub.
 */
static struct ltt_buffer *ltt_stub(struct ltt_buffer *buf,
				   struct mm_struct *mm, bool first)
{
	struct ltt_task *lt = current->ltt;
	struct ltt_buffer *stub;

	if (lt && lt->forked_mm != mm) {
		ltt_task_drop_forked(lt);
		lt->forked_mm = mm;
	}
	if (!first && lt && !list_empty(&lt->forked)) {
		stub = list_last_entry(&lt->forked, struct ltt_buffer,
				       task_node);
		if (stub->pgoff == buf->pgoff && stub->trace == buf->trace) {
			ltt_buffer_get(stub);
			return stub;
		}
	}
	stub = ltt_buffer_alloc(buf->trace, NULL);
	if (!stub) {
		atomic64_inc(&buf->trace->refused);
		return NULL;
	}
	stub->address = buf->address;
	stub->pgoff = buf->pgoff;
	/* What the parent must not write into any more, the child must not. */
	stub->retired = READ_ONCE(buf->retired);
	if (first && lt) {
		/* For ltt_fork(), which gives it to the child's thread. */
		ltt_buffer_get(stub);
		list_add_tail(&stub->task_node, &lt->forked);
	}
	return stub;
}

/* A copy of the mapping: by fork(), or by mremap(), which is refused then. */
static void ltt_vma_open(struct vm_area_struct *vma)
{
	struct ltt_buffer *buf = vma->vm_private_data, *stub;
	bool first = ltt_vma_is_trace_page(vma);

	/* A stub's, which an earlier fork() had no memory for. */
	if (!buf)
		return;
	if (vma->vm_mm == current->mm) {
		ltt_buffer_get(buf);
		return;
	}
	/* The program may have taken it back by MADV_KEEPONFORK. */
	ltt_vm_flags_mod(vma, VM_WIPEONFORK, 0);
	stub = ltt_stub(buf, vma->vm_mm, first);
	if (!stub && first) {
		/* What the trace is like stays true without one. */
		ltt_buffer_get(buf);
		return;
	}
	vma->vm_private_data = stub;
	if (stub && !first)
		ltt_buffer_snapshot(buf, &stub->fork);
}

/* No page table entry of the mapping shows the store any more. */
static void ltt_mapping_gone(struct ltt_buffer *buf)
{
	struct ltt_store *store = NULL;

	spin_lock(&buf->lock);
	swap(buf->mapped, store);
	spin_unlock(&buf->lock);
	if (store)
		ltt_store_put(store);
}

static void ltt_vma_close(struct vm_area_struct *vma)
{
	struct ltt_buffer *buf = vma->vm_private_data;

	if (!buf)
		return;
	if (!ltt_vma_is_trace_page(vma))
		ltt_mapping_gone(buf);
	ltt_buffer_put(buf);
}

static int ltt_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static int ltt_vma_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

/* Stray stores into a buffer that was taken back go where nobody looks. */
static struct page *ltt_sink_page(struct ltt_buffer *buf)
{
	struct page *page = NULL;

	if (!buf->sink)
		page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	spin_lock(&buf->lock);
	if (!buf->sink)
		swap(buf->sink, page);
	spin_unlock(&buf->lock);
	if (page)
		__free_page(page);
	return buf->sink;
}

/*
 * Most of what a thread pays for a buffer are page faults: a small one is mapped
 * as a whole when its control page is. What does not succeed faults later.
 */
static void ltt_map_around(struct vm_area_struct *vma, struct ltt_buffer *buf)
{
	struct ltt_store *store = NULL;
	unsigned long n;

	spin_lock(&buf->lock);
	if (buf->store && !buf->retired) {
		store = buf->store;
		kref_get(&store->kref);
	}
	spin_unlock(&buf->lock);
	if (!store)
		return;
	n = store->relay->page_count;
	if (n <= LTT_AROUND_PAGES)
		vm_insert_pages(vma, vma->vm_start + PAGE_SIZE,
				store->relay->page_array, &n);
	ltt_store_put(store);
}

static vm_fault_t ltt_vma_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct ltt_buffer *buf = vma->vm_private_data;
	unsigned long index = vmf->pgoff - vma->vm_pgoff;
	struct page *page = NULL;

	/* A stub that fork() had no memory for: zeros leave no room to write. */
	if (!buf) {
		vmf->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		return vmf->page ? 0 : VM_FAULT_OOM;
	}
	if (ltt_vma_is_trace_page(vma)) {
		page = virt_to_page(buf->trace->page);
		goto out;
	}
	if (!READ_ONCE(buf->control) && !READ_ONCE(buf->retired)) {
		/* The first touch is the owner's; debuggers come later. */
		if (vma->vm_mm != current->mm || current->flags & PF_EXITING)
			return VM_FAULT_SIGBUS;
		if (vmf->flags & FAULT_FLAG_TRIED)
			return VM_FAULT_OOM;
		if (!fault_flag_allow_retry_first(vmf->flags) ||
		    (vmf->flags & FAULT_FLAG_RETRY_NOWAIT))
			return VM_FAULT_SIGBUS;
		/*
		 * relay_open() takes locks that are held over page faults
		 * elsewhere: it must not run under mmap_lock.
		 */
		ltt_buffer_get(buf);
		ltt_release_fault_lock(vmf);
		ltt_buffer_populate(buf);
		ltt_buffer_put(buf);
		return VM_FAULT_RETRY;
	}
	spin_lock(&buf->lock);
	if (!index && buf->control)
		page = virt_to_page(buf->control);
	else if (index && buf->store)
		page = vmalloc_to_page(buf->store->relay->start +
				       ((index - 1) << PAGE_SHIFT));
	if (page)
		get_page(page);
	spin_unlock(&buf->lock);
	if (page) {
		vmf->page = page;
		if (!index && vma->vm_mm == current->mm)
			ltt_map_around(vma, buf);
		return 0;
	}
	page = ltt_sink_page(buf);
	if (!page)
		return VM_FAULT_OOM;
out:
	get_page(page);
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct ltt_vm_ops = {
	.open		= ltt_vma_open,
	.close		= ltt_vma_close,
	.may_split	= ltt_vma_may_split,
	.mremap		= ltt_vma_mremap,
	.fault		= ltt_vma_fault,
};

/*
 * Called by ltt_map(). Nobody else holds this file, but remap_file_pages() gets
 * here too, and must not.
 */
static int ltt_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ltt_buffer *buf = current->ltt ? current->ltt->mapping : NULL;
	vm_flags_t clear = VM_MAYEXEC;

	if (!buf)
		return -EINVAL;
	ltt_buffer_get(buf);
	vma->vm_private_data = buf;

	if (!(vma->vm_flags & VM_WRITE))
		clear |= VM_MAYWRITE;
	/*
	 * Pages are inserted besides those that fault (VM_MIXEDMAP), and none of
	 * them may show in a forked child (VM_WIPEONFORK).
	 */
	ltt_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_MIXEDMAP |
			 VM_WIPEONFORK, clear);
	vma->vm_ops = &ltt_vm_ops;
	/* Every program looks at it at once. If not now, it faults. */
	if (ltt_vma_is_trace_page(vma))
		vm_insert_page(vma, vma->vm_start, virt_to_page(buf->trace->page));
	return 0;
}

static const struct file_operations ltt_file_fops = {
	.mmap	= ltt_file_mmap,
};

struct file *ltt_mapping_file(void)
{
	struct inode *inode = alloc_anon_inode(ltt_mnt->mnt_sb);
	struct file *file;

	if (IS_ERR(inode))
		return ERR_CAST(inode);
	file = alloc_file_pseudo(inode, ltt_mnt, "ltt", O_RDWR, &ltt_file_fops);
	if (IS_ERR(file))
		iput(inode);
	return file;
}

/* One VMA of @buf at @address. The caller holds mmap_lock for writing. */
static int ltt_map(struct ltt_buffer *buf, unsigned long address, size_t size,
		   unsigned long prot, unsigned long pgoff)
{
	unsigned long at;

	current->ltt->mapping = buf;
	at = ltt_do_mmap(buf->trace->file, address, size, prot, pgoff);
	current->ltt->mapping = NULL;
	/* Whatever the reason, as a limit of locked memory: there is no room. */
	return IS_ERR_VALUE(at) ? -ENOMEM : 0;
}

/**
 * ltt_mapping_create() - map a fresh buffer into the current process
 * @buf: gets its address and page offset
 *
 * No page of it is allocated before it is touched.
 *
 * Return: 0, -ENOMEM (address space, VMAs), -EINTR (being killed).
 */
int ltt_mapping_create(struct ltt_buffer *buf)
{
	size_t size = ltt_mapping_size(buf);
	struct mm_struct *mm = current->mm;
	unsigned long address;
	int ret;

	buf->pgoff = atomic64_fetch_add(size >> PAGE_SHIFT,
					&buf->trace->next_pgoff);
	if (mmap_write_lock_killable(mm))
		return -EINTR;
	address = get_unmapped_area(buf->trace->file, 0, size, buf->pgoff,
				    MAP_SHARED);
	if (IS_ERR_VALUE(address)) {
		ret = -ENOMEM;
		goto unlock;
	}
	buf->address = address;
	ret = ltt_map(buf, address, PAGE_SIZE, PROT_READ, buf->pgoff);
	if (ret)
		goto unlock;
	ret = ltt_map(buf, address + PAGE_SIZE, size - PAGE_SIZE,
		      PROT_READ | PROT_WRITE, buf->pgoff + 1);
	if (ret)
		do_munmap(mm, address, PAGE_SIZE, NULL);
unlock:
	mmap_write_unlock(mm);
	return ret;
}

static struct vm_area_struct *ltt_vma(struct mm_struct *mm,
				      unsigned long address)
{
	struct vm_area_struct *vma = vma_lookup(mm, address);

	return vma && vma->vm_ops == &ltt_vm_ops ? vma : NULL;
}

/*
 * Unmaps what is still mapped of @buf in the current process; the program may
 * have put something else in its place.
 */
void ltt_mapping_remove(struct ltt_buffer *buf)
{
	unsigned long start = buf->address, end = start + PAGE_SIZE;
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *page, *data;

	mmap_write_lock(mm);
	page = ltt_vma(mm, start);
	if (!page || page->vm_private_data != buf)
		start = end;
	data = ltt_vma(mm, end);
	if (data && data->vm_private_data == buf)
		end = data->vm_end;
	if (start < end)
		do_munmap(mm, start, end - start, NULL);
	mmap_write_unlock(mm);
}

/* Takes the sub-buffers away from the program; its next touch faults. */
void ltt_mapping_zap(struct ltt_buffer *buf)
{
	unmap_mapping_range(buf->trace->file->f_mapping,
			    (loff_t)(buf->pgoff + LTT_DATA_PAGE) << PAGE_SHIFT,
			    ltt_mapping_size(buf) -
			    (LTT_DATA_PAGE << PAGE_SHIFT), 1);
	ltt_mapping_gone(buf);
}

/* The buffer whose mapping begins at @address, with a reference, or NULL. */
struct ltt_buffer *ltt_mapping_find(unsigned long address)
{
	struct ltt_buffer *buf = NULL;
	struct vm_area_struct *vma;

	mmap_read_lock(current->mm);
	vma = ltt_vma(current->mm, address + PAGE_SIZE);
	if (vma && vma->vm_start == address + PAGE_SIZE &&
	    !ltt_vma_is_trace_page(vma))
		buf = vma->vm_private_data;
	if (buf)
		ltt_buffer_get(buf);
	mmap_read_unlock(current->mm);
	return buf;
}

/* fork() takes the mappings of the forking thread alone. */
bool __ltt_vma_dontcopy(struct vm_area_struct *vma)
{
	struct ltt_buffer *buf = vma->vm_private_data;

	return vma->vm_ops == &ltt_vm_ops &&
	       (!buf || buf->thread != current->ltt);
}

/* What /proc/PID/maps calls the mappings. */
static char *ltt_dname(struct dentry *dentry, char *buffer, int size)
{
	return dynamic_dname(buffer, size, "[ltt]");
}

static const struct dentry_operations ltt_dentry_operations = {
	.d_dname	= ltt_dname,
};

static int ltt_init_fs_context(struct fs_context *fc)
{
	struct pseudo_fs_context *context = init_pseudo(fc, LTT_FS_MAGIC);

	if (!context)
		return -ENOMEM;
	context->dops = &ltt_dentry_operations;
	return 0;
}

static struct file_system_type ltt_fs_type = {
	.name			= "ltt",
	.init_fs_context	= ltt_init_fs_context,
	.kill_sb		= kill_anon_super,
};

static int __init ltt_mapping_init(void)
{
	ltt_mnt = kern_mount(&ltt_fs_type);
	if (IS_ERR(ltt_mnt))
		panic("ltt: cannot mount the pseudo file system\n");
	ltt_mnt->mnt_flags |= MNT_NOEXEC;
	return 0;
}
fs_initcall(ltt_mapping_init);
