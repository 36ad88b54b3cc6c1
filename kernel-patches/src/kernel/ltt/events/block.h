/* SPDX-License-Identifier: GPL-2.0 */
/* Requests to disks: queued, given to the driver, and done. */

#define LTT_REQUEST(name)						\
	LTT_EVENT(name, name, NULL,					\
		  LTT_PROTO(struct request *rq), LTT_ARGS(rq),		\
		  LTT_FIELDS(LTT_INT(u32, dev, ltt_disk_of(rq))		\
			     LTT_INT(u64, sector, blk_rq_trace_sector(rq)) \
			     LTT_INT(u32, nr_sector, blk_rq_trace_nr_sectors(rq)) \
			     LTT_INT(u32, bytes, blk_rq_bytes(rq))	\
			     LTT_INT(s32, tid, current->pid)		\
			     LTT_HEX(u32, rwbs, ltt_rwbs(rq->cmd_flags)) \
			     LTT_COMM(comm, current)))

LTT_REQUEST(block_rq_insert)
LTT_REQUEST(block_rq_issue)
#undef LTT_REQUEST

LTT_EVENT(block_rq_requeue, block_rq_requeue, NULL,
	  LTT_PROTO(struct request *rq), LTT_ARGS(rq),
	  LTT_FIELDS(LTT_INT(u32, dev, ltt_disk_of(rq))
		     LTT_INT(u64, sector, blk_rq_trace_sector(rq))
		     LTT_INT(u32, nr_sector, blk_rq_trace_nr_sectors(rq))
		     LTT_HEX(u32, rwbs, ltt_rwbs(rq->cmd_flags))))

LTT_EVENT(block_rq_complete, block_rq_complete, NULL,
	  LTT_PROTO(struct request *rq, blk_status_t error, unsigned int nr_bytes),
	  LTT_ARGS(rq, error, nr_bytes),
	  LTT_FIELDS(LTT_INT(u32, dev, ltt_disk_of(rq))
		     LTT_INT(u64, sector, blk_rq_pos(rq))
		     LTT_INT(u32, nr_sector, nr_bytes >> SECTOR_SHIFT)
		     LTT_INT(s32, error, blk_status_to_errno(error))
		     LTT_HEX(u32, rwbs, ltt_rwbs(rq->cmd_flags))))

/* Made one with a request that is there already. */
#define LTT_MERGE(name)							\
	LTT_EVENT(name, name, NULL,					\
		  LTT_PROTO(struct bio *bio), LTT_ARGS(bio),		\
		  LTT_FIELDS(LTT_INT(u32, dev, bio_dev(bio))		\
			     LTT_INT(u64, sector, bio->bi_iter.bi_sector) \
			     LTT_INT(u32, nr_sector, bio_sectors(bio))	\
			     LTT_HEX(u32, rwbs, ltt_rwbs(bio->bi_opf))	\
			     LTT_INT(s32, tid, current->pid)		\
			     LTT_COMM(comm, current)))

LTT_MERGE(block_bio_frontmerge)
LTT_MERGE(block_bio_backmerge)
#undef LTT_MERGE
