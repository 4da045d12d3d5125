import type { ReactNode } from 'react'
import type { Code } from '@/api/codes'

/** The options of an action: what it needs, when it is blocked, what it asks and does. */
export interface ActionSpec<B> {
  /** The permission code; without it the act is not shown. */
  need?: Code | undefined
  /** Buttons of the same group are one menu, named so. */
  group?: string
  /** Why the act is not possible now; it is shown, disabled, with this reason. */
  blocked?: string | undefined
  /** The question to confirm first, saying what will be affected. */
  confirm?: string | undefined
  /** Fields to fill in first; their values are the body. */
  ask?: ReactNode
  /** What the fields hold at first. */
  values?: Readonly<Record<string, unknown>>
  /** What to say when it is done; the usual words unless told otherwise. */
  done?: string
  run(body: B): unknown
}

/** One act with its label. Made by `action` and `danger`. */
export interface Action<B = unknown> extends ActionSpec<B> {
  label: string
  /** Destructive: shown as dangerous, and always confirmed first. */
  isDanger: boolean
}

/** An act on a row, a page or a selection. */
export const action = <B = void>(label: string, spec: ActionSpec<B>): Action<B> => ({ label, isDanger: false, ...spec })

/** A destructive action. */
export const danger = <B = void>(label: string, spec: ActionSpec<B>): Action<B> => ({ label, isDanger: true, ...spec })

/** The server's answer when the work is done in the background. */
export function taskIdOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('taskId' in answer)) return undefined
  return typeof answer.taskId === 'string' ? answer.taskId : undefined
}
