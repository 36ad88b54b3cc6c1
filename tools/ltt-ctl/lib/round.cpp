// SPDX-License-Identifier: MIT
#include "round.h"

#include <algorithm>

#include "error.h"

namespace ltt
{

namespace
{

// What it takes to open a file and to close it, in bytes of packets.
constexpr size_t bytes_of_file = 8 * 1024;
// One at hand, and some for packets that wait: as many as a round of usual size needs of a stream.
constexpr unsigned writers_of_thread = 4;

} // namespace

unsigned Round::threads(const Workers &workers) const
{
	size_t bytes = 0;
	for (const Source &source : packets_)
		bytes += source.packet.raw_size + bytes_of_file;
	return std::min(workers.worthwhile(bytes), static_cast<unsigned>(packets_.size()));
}

void Round::run(Workers *workers, std::vector<ctf::PacketWriter> &writers)
{
	const unsigned n = workers ? threads(*workers) : 1;
	const unsigned needed = n > 1 ? n * writers_of_thread : 1;

	if (writers.size() < needed)
		writers.resize(needed);
	for (ctf::PacketWriter &writer : writers)
		idle_.push_back(&writer);
	if (n > 1)
		workers->run(n, [&](unsigned) { work(); });
	else
		work();
}

void Round::throw_error() const
{
	if (error_)
		std::rethrow_exception(error_);
}

void Round::work()
{
	Lock lock(mutex_);
	const auto over = [&] { return begun_ == packets_.size() || error_; };
	for (;;) {
		changed_.wait(lock, [&] { return !idle_.empty() || over(); });
		if (over())
			return;
		Job job{begun_++, idle_.back(), {}};
		idle_.pop_back();
		try {
			take(job, lock);
		} catch (...) {
			if (!lock.owns_lock())
				lock.lock();
			if (job.number < failed_) {
				failed_ = job.number;
				error_ = std::current_exception();
			}
			changed_.notify_all();
		}
	}
}

// Called and left with the lock, as those below.
void Round::take(Job &job, Lock &lock)
{
	lock.unlock();
	const Result result = encode(packets_[job.number], *job.writer);
	lock.lock();
	changed_.wait(lock, [&] { return settled_ == job.number || failed_ < job.number; });
	if (failed_ < job.number)
		return;
	job.place = settle_(job.number, result);
	++settled_;
	changed_.notify_all();
	if (!job.place.file)
		return release(job);
	lock.unlock();
	job.place.put_headers(*job.writer);
	lock.lock();
	if (!job.place.has_turn())
		waiting_.push_back(job);
	else
		write(job, lock);
}

// And what waited for it.
void Round::write(Job &job, Lock &lock)
{
	for (;;) {
		lock.unlock();
		job.place.write(*job.writer);
		lock.lock();
		job.place.set_written();
		written_ += job.place.size;
		release(job);
		const auto next = std::find_if(waiting_.begin(), waiting_.end(),
			[](const Job &other) { return other.place.has_turn(); });
		if (next == waiting_.end() || failed_ < next->number)
			return;
		job = *next;
		waiting_.erase(next);
	}
}

void Round::release(Job &job)
{
	idle_.push_back(job.writer);
	changed_.notify_all();
}

Round::Result Round::encode(const Source &source, ctf::PacketWriter &writer) const
{
	Result result;
	writer.clear();
	try {
		result.events = writer.put_events(source.packet, *source.table, source.contexts,
			source.not_before, clock_, source.context);
	} catch (const BadData &e) {
		result.bad = e.what();
	}
	return result;
}

} // namespace ltt
