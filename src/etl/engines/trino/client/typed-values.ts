import { z } from 'zod';
import type { EngineValue } from '../../engine.ts';

/** A type in Trino's protocol. */
export const TypeSignature = z.looseObject({
  rawType: z.string(),
  arguments: z.array(z.looseObject({ kind: z.string(), value: z.unknown() })),
});
type TypeSignature = z.output<typeof TypeSignature>;

const NamedType = z.looseObject({
  fieldName: z.looseObject({ name: z.string() }).nullish(),
  typeSignature: TypeSignature,
});

type Decode = (value: unknown) => EngineValue;

/**
 * Returns a decoder for the protocol's values of a type. BIGINT and whole DECIMAL become `bigint`; ROW and MAP become
 * objects.
 */
export function decoderOf(signature: TypeSignature): Decode {
  const decode = presentDecoder(signature);
  return (value) => (value === null ? null : decode(value));
}

function presentDecoder({ rawType, arguments: given }: TypeSignature): Decode {
  switch (rawType) {
    case 'bigint':
      return (value) => BigInt(value as number | bigint);
    case 'decimal':
      return Number(given[1]?.value ?? 0) === 0 ? (value) => BigInt(value as string) : asItIs;
    // `NaN` and `Infinity` arrive as texts.
    case 'double':
    case 'real':
      return Number;
    case 'timestamp':
    case 'timestamp with time zone':
      return (value) => (value as string).replace(' ', 'T').replace(/ UTC$/, 'Z');
    case 'varbinary':
      return (value) => Buffer.from(value as string, 'base64');
    case 'array': {
      const element = decoderOf(TypeSignature.parse(given[0]?.value));
      return (value) => (value as unknown[]).map(element);
    }
    case 'map': {
      const item = decoderOf(TypeSignature.parse(given[1]?.value));
      return (value) =>
        Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, item(one)]));
    }
    case 'row': {
      const fields = given.map(({ value }, index) => {
        const { fieldName, typeSignature } = NamedType.parse(value);
        return { name: fieldName?.name ?? `field${index}`, decode: decoderOf(typeSignature) };
      });
      return (value) =>
        Object.fromEntries(
          fields.map(({ name, decode }, index) => [name, decode((value as unknown[])[index])]),
        );
    }
    default:
      return asItIs;
  }
}

const asItIs: Decode = (value) => value as EngineValue;
