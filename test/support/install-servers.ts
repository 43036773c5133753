import { installStoreServers } from './servers.ts';

/** Before the files of a suite. What can't be installed is said by the tests that need it. */
export default async function installServers(): Promise<void> {
  await installStoreServers().catch(() => {});
}
