import { basename, dirname, join } from 'node:path';
import { succeeds } from '../../../core/errors/errors.ts';
import { syncPath } from '../../../core/files/atomic-file.ts';
import { giveUserMode } from '../../../core/files/private-files.ts';
import { host } from '../../../core/host/host.ts';
import { formerPath } from '../../state/catalog/published/restore-former.ts';

/** The steps of a publication in the engine and the ledger, in this order. */
export interface PlacingSteps {
  /** Reads the written file. Its bytes are on the disk by then. */
  verify(): Promise<void>;
  /** Checks the right to write. If it throws, the previous publication stays. */
  confirm(): Promise<void>;
  /** Shows readers the rows that are not in the file. */
  publish(): Promise<void>;
  /** Opens the file in its place. If it throws, the former one is restored. */
  check(): Promise<void>;
}

/**
 * Replaces the published file with a finished copy. First, gives the previous file a second name.
 *
 * @returns that name; there may be no such file
 */
export async function putInPlace(
  temporary: string,
  publishedPath: string,
  id: string,
  steps: PlacingSteps,
): Promise<string> {
  const { files } = host();
  await syncPath(temporary);
  await steps.verify();
  await giveUserMode(temporary);
  await steps.confirm();
  await steps.publish();
  const former = formerPath(publishedPath, id);
  // There may be none yet, and some file systems have no hard links. A rename is atomic there too.
  const isKept = await succeeds(files.link(publishedPath, former));
  await files.rename(temporary, publishedPath);
  await syncPath(dirname(publishedPath));
  try {
    await steps.check();
  } catch (error) {
    if (isKept) await files.rename(former, publishedPath);
    throw error;
  }
  return former;
}

/** Removes copies that a killed publication left. */
export async function removeLeftovers(publishedPath: string): Promise<void> {
  const { files } = host();
  const folder = dirname(publishedPath);
  for (const name of await files.readdir(folder)) {
    if (name.startsWith(`${basename(publishedPath)}.`) && /\.publishing(\.wal)?$/.test(name)) {
      await files.rm(join(folder, name), { force: true });
    }
  }
}
