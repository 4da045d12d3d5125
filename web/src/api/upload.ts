import { type Answer, commonHeaders, type RequestOptions, readAnswer, withProof } from './client'

export interface UploadOptions extends RequestOptions {
  headers?: Record<string, string>
  method?: 'POST' | 'PUT' | 'PATCH'
  /** Hears how much has been sent, from 0 to 1. */
  onProgress?: (fraction: number) => void
}

/** Sends a file or a form with progress, which `fetch` cannot report. Judged like every other request. */
export function upload(address: string, body: FormData | Blob, options: UploadOptions = {}): Promise<Answer> {
  return withProof(() => send(address, body, options))
}

function send(address: string, body: FormData | Blob, options: UploadOptions): Promise<Answer> {
  const common = commonHeaders()
  return new Promise((resolve, reject) => {
    const transfer = new XMLHttpRequest()
    transfer.open(options.method ?? 'POST', address)
    transfer.responseType = 'blob'
    for (const [name, value] of Object.entries({ ...common, ...options.headers }))
      transfer.setRequestHeader(name, value)
    transfer.upload.onprogress = ({ loaded, total, lengthComputable }) => {
      if (lengthComputable && total > 0) options.onProgress?.(loaded / total)
    }
    transfer.onerror = () => reject(new TypeError('Failed to fetch'))
    transfer.onabort = () => reject(new DOMException('Aborted', 'AbortError'))
    transfer.onload = () => {
      const answer = {
        httpStatus: transfer.status,
        contentType: transfer.getResponseHeader('content-type') ?? '',
        disposition: transfer.getResponseHeader('content-disposition'),
        blob: transfer.response as Blob,
      }
      readAnswer(answer, options, common.Authorization).then(resolve, reject)
    }
    options.signal?.addEventListener('abort', () => transfer.abort())
    transfer.send(body)
  })
}
