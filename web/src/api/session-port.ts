import type { Verdict } from './errors'

/** What the API client needs from the session. The session is connected at start, so that `api` does not import `access`. */
export interface SessionPort {
  /** The token that requests carry, if somebody is signed in. */
  token(): string | undefined
  /** The server ended the session: clear it, log out, reload. */
  ended(verdict: Verdict): void
  /** The trial is over: go to the licence activation page. */
  openLicence(): void
  /** The password must be changed before anything else works. */
  changePassword(): void
  /** Asks to confirm the identity; false when that was cancelled. `withCode`: a one-time code is accepted as well. */
  proveAgain(asked: { withCode: boolean }): Promise<boolean>
}

let port: SessionPort = {
  token: () => undefined,
  ended: () => undefined,
  openLicence: () => undefined,
  changePassword: () => undefined,
  proveAgain: async () => false,
}

export function connectSession(session: SessionPort) {
  port = session
}

export const sessionPort = () => port
