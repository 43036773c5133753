declare module 'html-encoding-sniffer' {
  /** Name of the encoding of an HTML or XML document, such as `UTF-8` or `windows-1252`. */
  export default function sniffEncoding(
    bytes: Uint8Array,
    options: {
      readonly xml?: boolean;
      readonly transportLayerEncodingLabel?: string;
      readonly defaultEncoding?: string;
      readonly maxPrescanBytes?: number;
    },
  ): string;
}
