/** A file to upload, and how its object is called. */
export interface FileToUpload {
  readonly path: string;
  readonly size: number;
  readonly key: string;
  readonly contentType: string;
}

/** A bucket that exports are written to, through the official SDK of its cloud. */
export interface Uploader extends Disposable {
  /** Adds the bucket where it is missing. */
  ensureBucket(): Promise<void>;
  /** Uploads a file whole; the object is there once this resolves. Memory does not grow with the file. */
  upload(file: FileToUpload, signal: AbortSignal): Promise<void>;
}
