/* SPDX-License-Identifier: GPL-2.0 */
/* Pages that are allocated and freed. What programs map is among their calls. */

LTT_EVENT(kmem_mm_page_alloc, mm_page_alloc, NULL,
	  LTT_PROTO(struct page *page, unsigned int order, gfp_t gfp_flags,
		    int migratetype),
	  LTT_ARGS(page, order, gfp_flags, migratetype),
	  LTT_FIELDS(LTT_PTR(page, page)
		     LTT_INT(u64, pfn, page ? page_to_pfn(page) : -1ul)
		     LTT_INT(u32, order, order)
		     LTT_HEX(u32, gfp_flags, (__force u32)gfp_flags)
		     LTT_INT(s32, migratetype, migratetype)))

LTT_EVENT(kmem_mm_page_free, mm_page_free, NULL,
	  LTT_PROTO(struct page *page, unsigned int order),
	  LTT_ARGS(page, order),
	  LTT_FIELDS(LTT_PTR(page, page)
		     LTT_INT(u64, pfn, page_to_pfn(page))
		     LTT_INT(u32, order, order)))
