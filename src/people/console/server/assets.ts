import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { lookUp } from '../../../core/text/look-up.ts';

/** Built by scripts/build.ts from ../browser and ../assets. */
const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'people', 'console', 'assets');
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Asset {
  readonly bytes: Buffer;
  readonly gzip: Buffer;
  readonly tag: string;
}

/** Files of the pages, without a session: they say nothing of the project. */
export function assetRoutes(app: FastifyInstance): void {
  const known = new Map<string, Asset>();
  app.get('/assets/:name', (request, reply) => {
    const { name } = request.params as { name: string };
    const type = lookUp(TYPES, extname(name));
    const path = join(FOLDER, name);
    if (type === undefined || !/^[\w.-]+$/.test(name) || !existsSync(path)) return reply.callNotFound();
    const asset = known.get(name) ?? readAsset(path);
    known.set(name, asset);
    reply.type(type).header('etag', asset.tag).header('vary', 'accept-encoding');
    if (request.headers['if-none-match'] === asset.tag) return reply.code(304).send();
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(asset.bytes);
    return reply.header('content-encoding', 'gzip').send(asset.gzip);
  });
}

function readAsset(path: string): Asset {
  const bytes = readFileSync(path);
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`;
  return { bytes, gzip: gzipSync(bytes), tag };
}
