import { basename, dirname, join } from 'node:path';
import { succeeds } from '../../core/errors/errors.ts';
import { syncPath } from '../../core/files/atomic-file.ts';
import { giveUserMode } from '../../core/files/private-files.ts';
import { host } from '../../core/host/host.ts';
import { formerPath } from '../../state/catalogue/published/restore-former.ts';

/** The steps of a publication that the engine and the ledger have, in this order. */
export interface PlacingSteps {
  /** Reads what was written: the bytes are on the disk by then. */
  verify(): Promise<void>;
  /** The right to write; what it throws leaves the former publication. */
  confirm(): Promise<void>;
  /** Shows readers the rows that are not in the file. */
  publish(): Promise<void>;
  /** Opens the file in its place; what it throws brings the former one back. */
  check(): Promise<void>;
}

/**
 * Gives a finished copy the place of the published file. The former file has a second name before that.
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
  // There may be none yet, and some file systems have no hard links: a rename is all or nothing there too.
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

/** Removes copies that a killed publication left behind. */
export async function removeLeftovers(publishedPath: string): Promise<void> {
  const { files } = host();
  const folder = dirname(publishedPath);
  for (const name of await files.readdir(folder)) {
    if (name.startsWith(`${basename(publishedPath)}.`) && /\.publishing(\.wal)?$/.test(name)) {
      await files.rm(join(folder, name), { force: true });
    }
  }
}
