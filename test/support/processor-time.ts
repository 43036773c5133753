/** Returns how long `work` computes in this thread, in milliseconds of processor time, which busy machines do not extend. */
export function processorTime(work: () => void): number {
  const begun = process.threadCpuUsage();
  work();
  return process.threadCpuUsage(begun).user / 1000;
}
