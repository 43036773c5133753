import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryWatch } from '../../../../src/site/crawler/render/memory-watch.ts';

/** A watch of a browser with one page, whose process is that of this test; a tick is a quarter of a second. */
function watched(most: number) {
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
  /** Ticks until something is so. The file of a process is read in real time. */
  const until = async (isSo: () => boolean): Promise<number> => {
    for (let ticks = 1; ; ticks++) {
      await vi.advanceTimersByTimeAsync(250);
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (isSo() || ticks === 500) return ticks;
    }
  };
  return { watch, send, kill, until };
}

const onLinux = test.runIf(process.platform === 'linux');

onLinux('a page process beyond its memory is ended, once for each list', async () => {
  const { watch, send, kill, until } = watched(1);
  await until(() => kill.mock.calls.length > 0);
  expect(performance.now() - watch.endedAt).toBeLessThan(10_000);
  await until(() => send.mock.calls.length > 1);
  await until(() => kill.mock.calls.length > 1);
  expect(kill.mock.calls).toEqual(Array(2).fill([process.pid, 'SIGKILL']));
  await watch[Symbol.asyncDispose]();
  expect(vi.getTimerCount()).toBe(0);
});

onLinux('a page process within its memory stays; the list is read again after four looks', async () => {
  const { watch, send, kill, until } = watched(1e15);
  expect(await until(() => send.mock.calls.length > 1)).toBeGreaterThanOrEqual(5);
  expect([kill.mock.calls.length, watch.endedAt]).toEqual([0, Number.NEGATIVE_INFINITY]);
  await watch[Symbol.asyncDispose]();
});

onLinux(
  'a browser is asked again only when it has answered, and one that has ended is no error',
  async () => {
    const { watch, send, until } = watched(1);
    const answer = Promise.withResolvers<never>();
    send.mockImplementation(() => answer.promise);
    await vi.advanceTimersByTimeAsync(2500);
    expect(send).toHaveBeenCalledTimes(1);
    answer.reject(new Error('ended'));
    await until(() => send.mock.calls.length > 1);
    expect(send).toHaveBeenCalledTimes(2);
    await watch[Symbol.asyncDispose]();
  },
);
