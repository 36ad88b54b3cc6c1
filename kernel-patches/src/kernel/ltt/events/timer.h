/* SPDX-License-Identifier: GPL-2.0 */
/* Timers of both kinds. */

#define LTT_TIMER(name, point)						\
	LTT_EVENT(name, point, NULL,					\
		  LTT_PROTO(struct timer_list *timer), LTT_ARGS(timer),	\
		  LTT_FIELDS(LTT_PTR(timer, timer)))

#ifdef LTT_HAVE_TIMER_BUCKET
#define LTT_START_PROTO	LTT_PROTO(struct timer_list *timer, unsigned long bucket)
#define LTT_START_ARGS	LTT_ARGS(timer, bucket)
#else
#define LTT_START_PROTO	LTT_PROTO(struct timer_list *timer, \
				  unsigned long expires, unsigned int flags)
#define LTT_START_ARGS	LTT_ARGS(timer, expires, flags)
#endif

LTT_TIMER(timer_init, timer_init)
LTT_EVENT(timer_start, timer_start, NULL,
	  LTT_START_PROTO, LTT_START_ARGS,
	  LTT_FIELDS(LTT_PTR(timer, timer)
		     LTT_PTR(function, timer->function)
		     LTT_INT(u64, expires, timer->expires)
		     LTT_INT(u64, now, jiffies)))
#undef LTT_START_PROTO
#undef LTT_START_ARGS

LTT_EVENT(timer_expire_entry, timer_expire_entry, NULL,
	  LTT_PROTO(struct timer_list *timer, unsigned long baseclk),
	  LTT_ARGS(timer, baseclk),
	  LTT_FIELDS(LTT_PTR(timer, timer)
		     LTT_INT(u64, now, jiffies)
		     LTT_PTR(function, timer->function)))
LTT_TIMER(timer_expire_exit, timer_expire_exit)
LTT_TIMER(timer_cancel, timer_cancel)
#undef LTT_TIMER

#define LTT_HRTIMER(name)						\
	LTT_EVENT(timer_##name, name, NULL,				\
		  LTT_PROTO(struct hrtimer *hrtimer), LTT_ARGS(hrtimer), \
		  LTT_FIELDS(LTT_PTR(hrtimer, hrtimer)))

LTT_EVENT(timer_hrtimer_init, hrtimer_init, NULL,
	  LTT_PROTO(struct hrtimer *hrtimer, clockid_t clockid,
		    enum hrtimer_mode mode),
	  LTT_ARGS(hrtimer, clockid, mode),
	  LTT_FIELDS(LTT_PTR(hrtimer, hrtimer)
		     LTT_INT(s32, clockid, clockid)
		     LTT_INT(u32, mode, mode)))
#ifdef LTT_HAVE_WAS_ARMED
#define LTT_START_PROTO	LTT_PROTO(struct hrtimer *hrtimer, \
				  enum hrtimer_mode mode, bool was_armed)
#define LTT_START_ARGS	LTT_ARGS(hrtimer, mode, was_armed)
#else
#define LTT_START_PROTO	LTT_PROTO(struct hrtimer *hrtimer, enum hrtimer_mode mode)
#define LTT_START_ARGS	LTT_ARGS(hrtimer, mode)
#endif

LTT_EVENT(timer_hrtimer_start, hrtimer_start, NULL,
	  LTT_START_PROTO, LTT_START_ARGS,
	  LTT_FIELDS(LTT_PTR(hrtimer, hrtimer)
		     LTT_PTR(function, hrtimer->function)
		     LTT_INT(s64, expires, hrtimer_get_expires(hrtimer))
		     LTT_INT(s64, softexpires, hrtimer_get_softexpires(hrtimer))
		     LTT_INT(u32, mode, mode)))
#undef LTT_START_PROTO
#undef LTT_START_ARGS

LTT_EVENT(timer_hrtimer_expire_entry, hrtimer_expire_entry, NULL,
	  LTT_PROTO(struct hrtimer *hrtimer, ktime_t *now),
	  LTT_ARGS(hrtimer, now),
	  LTT_FIELDS(LTT_PTR(hrtimer, hrtimer)
		     LTT_INT(s64, now, *now)
		     LTT_PTR(function, hrtimer->function)))
LTT_HRTIMER(hrtimer_expire_exit)
LTT_HRTIMER(hrtimer_cancel)
#undef LTT_HRTIMER
