import type { RequestParts } from './address'
import type { CallParts, OperationId } from './call'

/** A read that a page makes. */
export interface PageCall {
  id: OperationId
  parts: RequestParts
}

/** One of the reads that a page begins with, as its parts are called there. */
export const asks = <K extends OperationId>(id: K, parts: CallParts<K>): PageCall => ({ id, parts })
