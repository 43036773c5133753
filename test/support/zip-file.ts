import { crc32, deflateRawSync } from 'node:zlib';

/** A member of an archive; what is given replaces what it would be. */
export interface Member {
  readonly name: string;
  readonly content: Uint8Array | string;
  readonly isStored?: boolean;
  readonly flags?: number;
  readonly size?: number;
  readonly crc?: number;
  readonly method?: number;
  /** Where the directory says that it begins. */
  readonly offset?: number;
  /** Bytes that its own header says follow its name, before its content; they are not written. */
  readonly extra?: number;
}

/** The bytes of a zip archive, written here and not by what reads it. */
export function zipFile(members: readonly Member[], comment = ''): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const member of members) {
    const name = Buffer.from(member.name);
    const content = Buffer.from(member.content as string);
    const packed = member.isStored ? content : deflateRawSync(content);
    const fields = {
      flags: member.flags ?? 1 << 11,
      method: member.method ?? (member.isStored ? 0 : 8),
      crc: member.crc ?? crc32(content),
      size: member.size ?? content.length,
    };
    const common = (start: number, bytes: Buffer): void => {
      bytes.writeUInt16LE(fields.flags, start);
      bytes.writeUInt16LE(fields.method, start + 2);
      bytes.writeUInt32LE(fields.crc, start + 8);
      bytes.writeUInt32LE(packed.length, start + 12);
      bytes.writeUInt32LE(fields.size, start + 16);
      bytes.writeUInt16LE(name.length, start + 20);
    };
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    common(6, local);
    local.writeUInt16LE(member.extra ?? 0, 28);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    common(8, entry);
    entry.writeUInt32LE(member.offset ?? at, 42);
    pieces.push(local, name, packed);
    directory.push(entry, name);
    at += local.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(Buffer.byteLength(comment), 20);
  return Buffer.concat([...pieces, listed, end, Buffer.from(comment)]);
}
