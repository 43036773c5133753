import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryWatch } from '../../../../src/site/crawler/render/memory-watch.ts';

/** A browser with one page, whose process is that of this test. */
async function watched(most: number, ms: number) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  onTestFinished(() => {
    vi.useRealTimers();
    kill.mockRestore();
  });
  const processInfo = [
    { type: 'browser', id: process.ppid },
    { type: 'renderer', id: process.pid },
  ];
  const send = vi.fn(async (_method: 'SystemInfo.getProcessInfo') => ({ processInfo }));
  const watch = new MemoryWatch({ send }, most);
  for (let passed = 0; passed < ms; passed += 250) {
    await vi.advanceTimersByTimeAsync(250);
    // The file of the process is read in real time.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { watch, send, kill };
}

test.runIf(process.platform === 'linux')(
  'a page process beyond its memory is ended, once for each list',
  async () => {
    const { watch, send, kill } = await watched(1, 1000);
    expect([send.mock.calls.length, kill.mock.calls]).toEqual([1, [[process.pid, 'SIGKILL']]]);
    expect(performance.now() - watch.endedAt).toBeLessThan(10_000);
    await watch[Symbol.asyncDispose]();
    expect(vi.getTimerCount()).toBe(0);
  },
);

test.runIf(process.platform === 'linux')(
  'a page process within its memory stays; the list is read again each second',
  async () => {
    const { watch, send, kill } = await watched(1e15, 1250);
    expect([send.mock.calls.length, kill.mock.calls.length, watch.endedAt]).toEqual([
      2,
      0,
      Number.NEGATIVE_INFINITY,
    ]);
    await watch[Symbol.asyncDispose]();
  },
);

test.runIf(process.platform === 'linux')(
  'a browser is asked again only when it has answered, and one that has ended is no error',
  async () => {
    const { watch, send } = await watched(1, 0);
    const answer = Promise.withResolvers<never>();
    send.mockImplementation(() => answer.promise);
    await vi.advanceTimersByTimeAsync(2500);
    expect(send).toHaveBeenCalledTimes(1);
    answer.reject(new Error('ended'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(send).toHaveBeenCalledTimes(2);
    await watch[Symbol.asyncDispose]();
  },
);
