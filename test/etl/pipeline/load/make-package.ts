import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Connection } from '../../../../src/core/duckdb/duckdb.ts';
import { stringifyJson } from '../../../../src/core/text/json.ts';
import { writeParts } from '../../../../src/etl/pipeline/routes/download/write-parts.ts';
import { PackageBuilder } from '../../../../src/etl/pipeline/stage/package-builder.ts';
import { writeManifest } from '../../../../src/etl/pipeline/stage/unit-folders.ts';
import type { Field } from '../../../../src/etl/project/model/field.ts';
import type { Manifest } from '../../../../src/etl/project/model/manifest.ts';
import { type Unit, unitName } from '../../../../src/etl/project/model/unit.ts';
import { stagingOn } from '../../../support/staging-on.ts';

const signal = new AbortController().signal;

/** A field as a short text: `depth natural`, `tags string many`. */
export function fields(...texts: readonly string[]): Field[] {
  return texts.map((text) => {
    const [name = '', type = 'string', arity] = text.split(' ');
    return { name, type, arity: arity === 'many' ? 'many' : 'one' };
  });
}

export interface PackageSpec {
  readonly id: string;
  readonly fields: readonly Field[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly dataset?: string;
  readonly unit?: Partial<Unit>;
  readonly manifest?: Partial<Manifest>;
}

/** Builds a package on disk as the pipeline does, from JSONL over raw parts and staging to its manifest. */
export async function makePackage(
  connection: Connection,
  folder: string,
  spec: PackageSpec,
): Promise<string> {
  const target = join(
    folder,
    `package-${createHash('sha256').update(stringifyJson(spec)).digest('hex').slice(0, 12)}`,
  );
  const raw = join(target, 'raw');
  await mkdir(raw, { recursive: true });
  const bytes = Buffer.from(spec.rows.map((row) => `${stringifyJson(row)}\n`).join(''));
  const builder = await PackageBuilder.create(stagingOn(connection), target, spec.fields);
  for await (const part of writeParts(Readable.from([bytes]), {
    folder: raw,
    format: 'json',
    file: 'pages.jsonl',
  }))
    await builder.addPart(part, signal);
  const staged = await builder.finish(null, signal);
  const unit: Unit = {
    dataset: spec.dataset ?? 'crawl_pages',
    source: { kind: 'crawl', id: spec.id, project_id: 'p1' },
    window: null,
    ...spec.unit,
  };
  await writeManifest(target, {
    version: 1,
    unit,
    name: unitName(unit),
    run_id: 'run-of-the-package',
    source: {
      base_url: 'https://service.example',
      route: 'stream',
      format: 'json',
      filter: null,
      requested_at: '2026-11-21T06:00:00.000Z',
    },
    columns: [...staged.columns],
    parts: staged.parts,
    counts: {
      reported: spec.rows.length,
      received: spec.rows.length,
      staged: staged.staged,
      rejected: staged.rejected,
    },
    rejects: [...staged.rejects],
    notes: [...staged.notes],
    fingerprint: staged.fingerprint,
    bytes: bytes.length,
    content_sha256: createHash('sha256').update(bytes).digest('hex'),
    attempts: 1,
    seconds: 0.5,
    created_at: '2026-11-21T06:00:01.000Z',
    ...spec.manifest,
  });
  return target;
}
