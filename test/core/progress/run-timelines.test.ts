import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Meter } from '../../../src/core/progress/meter.ts';
import type { Progress } from '../../../src/core/progress/progress.ts';

type Event = readonly [at: number, kind: string, ...values: (string | number | null)[]];

/** A run that was recorded: what its meter was told, and when, in milliseconds since the run began. */
function recorded(name: string) {
  const lines = readFileSync(join(import.meta.dirname, 'timelines', `${name}.txt`), 'utf8')
    .trim()
    .split('\n')
    .map((line) =>
      line.split(' ').map((word) => (word === '-' ? null : /^[\d.]+$/.test(word) ? Number(word) : word)),
    );
  const due = lines.filter(([word]) => word === 'unit');
  return {
    formerPace: Number(lines[0]?.[1]),
    due: due.map(([, dataset, rows], index) => ({
      unit: `${dataset}/${index}`,
      dataset: String(dataset),
      rows: rows === null ? null : Number(rows),
    })),
    events: lines.slice(1 + due.length) as unknown as readonly Event[],
  };
}

/** Plays a recording; all that the meter printed, with the time of each. */
function played({ formerPace, due, events }: ReturnType<typeof recorded>) {
  vi.useFakeTimers({ now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const printed: { readonly at: number; readonly text: string; readonly left: number | null }[] = [];
  const print = (text: string, { left }: Progress) => void printed.push({ at: Date.now(), text, left });
  using meter = new Meter(print, formerPace, Date.now);
  const nameOf = (index: unknown): string => due[Number(index)]?.unit ?? '';
  const tell: Record<string, (...values: never[]) => void> = {
    begin: () => meter.begin(due),
    opened: (unit: number, rows: number | null, columns: number) => meter.opened(nameOf(unit), rows, columns),
    received: (unit: number, rows: number) => meter.received(nameOf(unit), rows),
    // Which unit it was says nothing about the time left.
    unitPhase: (phase: 'stage' | 'load') => meter.unitPhase('', phase),
    unitDone: (unit: number, status: string, bytes: number | null) =>
      meter.unitDone(nameOf(unit), status, bytes),
    step: (phase: 'models' | 'tests' | 'publish', done?: number, total?: number) =>
      meter.step(phase, done, total),
    end: () => {},
  };
  for (const [at, kind, ...values] of events) {
    // What a run prints by itself while nothing happens is played too.
    vi.advanceTimersByTime(at - Date.now());
    tell[kind]?.(...(values as never[]));
  }
  return { printed, end: Date.now() };
}

test.for(['first-run', 'slow-service', 'second-run'])(
  'after a quarter of the recorded %s, each estimate is within a factor of two',
  (name) => {
    const { printed, end } = played(recorded(name));
    // In the last two seconds a difference matters to nobody.
    const later = printed.filter(({ at }) => at >= end / 4 && at < end - 2000);
    expect(later.length).toBeGreaterThan(100);
    const wrong = later.filter(({ at, left }) => {
      const truth = (end - at) / 1000;
      return left === null || left > truth * 2 || left < truth / 2;
    });
    expect(wrong.map(({ at, text }) => `${(end - at) / 1000} s were left: ${text}`)).toEqual([]);
  },
);
