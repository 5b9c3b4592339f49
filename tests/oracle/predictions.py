#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""predictions.py trace SEED JOBS PROCS > TRACE.swf
predictions.py sessions SEED JOBS PROCS LOAD > JOBS.csv
predictions.py simulate TRACE.swf PROCS RULE PREDICTOR > SCHEDULE.csv

A simulator of EASY backfilling (RULE: easy, easy-sjbf) with predicted run times (PREDICTOR: request,
oracle, last-two), written from the papers and shared with nothing of hsim: every question is
answered by a walk over everything. Times are whole nanoseconds. A line of the schedule is
job, start, end, prediction at the submission, corrections; the last line holds the metrics.

Sources: Tsafrir, Etsion, Feitelson, IEEE TPDS 18(6), 2007; Mu'alem, Feitelson, IEEE TPDS 12(6), 2001.
"""
import random
import sys

SECOND = 10**9
STEPS = [s * SECOND for s in (60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000)]
TAU = 10 * SECOND


def make_trace(seed, count, procs):
    """Users who come back, each with habits; some jobs of nobody, some that outlive their request."""
    draw = random.Random(seed)
    users = [(draw.choice([20, 300, 3000, 20000]), draw.choice([1, 2, 5, 20]), draw.randint(1, procs))
             for _ in range(12)]
    time = 0
    for job in range(1, count + 1):
        user = draw.randrange(len(users))
        usual, caution, widest = users[user]
        time += draw.choice([0, 0, 1, draw.randrange(600), draw.randrange(4000)])
        run = int(usual * draw.choice([0, 0.1, 1, 1, 1, 1.1, 3]) + draw.randrange(3))
        request = max(1, run * caution if draw.random() < 0.9 else run // 2)
        if draw.random() < 0.3:
            request = max(request, draw.choice([60, 3600, 86400]))
        width = draw.randint(1, widest) if draw.random() < 0.7 else 1
        number = user + 1 if draw.random() < 0.95 else -1
        print(job, time, -1, run, width, -1, -1, width, request, -1, 1, number, 1, 1, 1, 1, -1, -1)


def make_sessions(seed, count, procs, load):
    """Users work in sessions: alike jobs one after the other, some of which fail soon; requests are
    round numbers, the same in a session, mostly far too long."""
    draw = random.Random(seed)
    habits = [(60 * 10 ** draw.uniform(0, 2.3), draw.uniform(1.5, 12), int(2 ** draw.uniform(0, 5)))
              for _ in range(24)]
    rounds = [900, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 172800]
    rows = []
    while len(rows) < count:
        user = min(int(draw.expovariate(0.15)), len(habits) - 1)
        usual, caution, width = habits[user]
        length = usual * draw.lognormvariate(0, 0.7)
        request = next((r for r in rounds if r >= caution * length), rounds[-1])
        time, session = draw.random(), min(max(1, width * draw.choice([1, 1, 2])), procs)
        for _ in range(1 + int(draw.expovariate(0.15))):
            time += draw.expovariate(1 / 300)
            run = draw.uniform(1, 60) if draw.random() < 0.1 else length * draw.lognormvariate(0, 0.25)
            rows.append([len(rows), time, max(1, min(round(run), request)), request, session, user])
    rows = rows[:count]
    # Sessions begin at random in as much time as gives the load.
    span = sum(row[2] * row[4] for row in rows) / procs / load
    begins, last = {}, None
    for row in rows:
        key = (row[5], row[3], row[4])
        if key != last:
            begins[row[0]] = draw.uniform(0, span)
            last, begin = key, begins[row[0]]
        row[1] = round(begin + row[1])
    print('id,submit,run,walltime,tasks,user')
    for number, row in enumerate(sorted(rows, key=lambda row: (row[1], row[0])), 1):
        print(number, *row[1:5], f'user{row[5] + 1}', sep=',')


class Job:
    def __init__(self, fields):
        self.number, self.submit, self.run = int(fields[0]), int(fields[1]), int(fields[3])
        self.width, self.request, self.user = int(fields[7]), int(fields[8]), int(fields[11])
        self.submit *= SECOND
        self.request *= SECOND
        self.run = min(self.run * SECOND, self.request)  # killed at the request
        self.start = self.end = self.predicted = self.expected = None
        self.corrections = 0


class Machine:
    def __init__(self, jobs, procs, rule, predictor):
        self.jobs, self.free, self.rule, self.predictor = jobs, procs, rule, predictor
        self.waiting, self.running, self.history = [], [], {}

    def predict(self, job):
        last = self.history.get(job.user, [])
        if self.predictor == 'oracle':
            return max(1, job.run)
        if self.predictor == 'last-two' and job.user >= 0 and len(last) >= 2:
            return max(1, min((last[-1] + last[-2]) // 2, job.request))
        return job.request

    def correct(self, job, now):
        """True: the job has outlived what was expected of it, but not its request."""
        if job.expected != now or job.expected >= job.start + job.request:
            return False
        step = STEPS[min(job.corrections, len(STEPS) - 1)]
        job.expected = min(job.expected + step, job.start + job.request)
        job.corrections += 1
        return True

    def begin(self, job, now):
        self.waiting.remove(job)
        self.running.append(job)
        self.free -= job.width
        job.start, job.end, job.expected = now, now + job.run, now + job.predicted

    def decide(self, now):
        while self.waiting and self.waiting[0].width <= self.free:
            self.begin(self.waiting[0], now)
        if not self.waiting:
            return
        head, others = self.waiting[0], self.waiting[1:]
        free, shadow = self.free, None
        for end in sorted({max(job.expected, now) for job in self.running}):
            then = free + sum(j.width for j in self.running if max(j.expected, now) <= end)
            if then >= head.width:
                shadow, extra = end, then - head.width
                break
        if self.rule == 'easy-sjbf':
            others.sort(key=lambda job: (job.predicted, job.number))
        for job in others:
            if job.width > self.free:
                continue
            if now + job.predicted <= shadow:
                self.begin(job, now)
            elif job.width <= extra:
                extra -= job.width
                self.begin(job, now)

    def run(self):
        coming = list(self.jobs)
        while coming or self.running:
            times = [job.end for job in self.running] + [job.submit for job in coming[:1]]
            times += [job.expected for job in self.running
                      if job.expected < job.start + job.request]
            now = min(times)
            is_event = False
            for job in [job for job in self.running if job.end == now]:
                self.running.remove(job)
                self.free += job.width
                self.history.setdefault(job.user, []).append(job.run)
                is_event = True
            while coming and coming[0].submit == now:
                job = coming.pop(0)
                job.predicted = self.predict(job)
                self.waiting.append(job)
                is_event = True
            for job in self.running:
                is_event = self.correct(job, now) or is_event
            if is_event:
                self.decide(now)


def simulate(path, procs, rule, predictor):
    with open(path, encoding='ascii') as file:
        jobs = [Job(line.split()) for line in file if not line.startswith(';')]
    Machine(jobs, procs, rule, predictor).run()
    for job in jobs:
        print(job.number, job.start, job.end, job.predicted, job.corrections, sep=',')
    count = len(jobs)
    error = sum(abs(job.predicted - job.run) for job in jobs) / SECOND / count
    relative = sum(abs(job.predicted - job.run) / max(job.run, TAU) for job in jobs) / count
    accuracy = sum(min(job.predicted, job.run) / max(job.predicted, job.run) for job in jobs) / count
    under = sum(job.predicted < job.run for job in jobs) / count
    print(error, relative, accuracy, under, sum(job.corrections for job in jobs), sep=',')


if sys.argv[1] == 'trace':
    make_trace(int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
elif sys.argv[1] == 'sessions':
    make_sessions(int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
else:
    simulate(sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5])
