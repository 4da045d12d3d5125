/** What the server says about one field of an invalid request. */
export interface FieldError {
  field: string
  code: string
  message: string
}

/** A call that the server answered with a refusal. Network failures are not this: they are rethrown unchanged. */
export class ApiFailure extends Error {
  /** The status of the body; when it carried none, its `code`; when neither, the HTTP status. */
  readonly status: number
  readonly httpStatus: number
  readonly msg: string
  readonly errors: readonly FieldError[]

  constructor(init: { status: number; httpStatus: number; msg: string; errors?: readonly FieldError[] }) {
    super(init.msg)
    this.name = 'ApiFailure'
    this.status = init.status
    this.httpStatus = init.httpStatus
    this.msg = init.msg
    this.errors = init.errors ?? []
  }
}

/** True for a refusal of the server, optionally with one body status. */
export function isApiFailure(error: unknown, status?: number): error is ApiFailure {
  return error instanceof ApiFailure && (status === undefined || error.status === status)
}
