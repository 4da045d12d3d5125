import type { ReactNode } from 'react'

/** What an act may need, refuse, ask and do. */
export interface ActionSpec<B> {
  /** The permission code; without it the act is not shown. */
  need?: string | undefined
  /** Buttons of the same group are one menu, named so. */
  group?: string
  /** Why the act is not possible now; it is shown, disabled, with this reason. */
  blocked?: string | undefined
  /** The question to answer first, saying what will be hit. */
  confirm?: string | undefined
  /** Fields to fill in first; their values are the body. */
  ask?: ReactNode
  /** What to say when it is done; the usual words unless told otherwise. */
  done?: string
  run(body: B): unknown
}

/** One act with its label. Made by `action` and `danger`. */
export interface Action<B = unknown> extends ActionSpec<B> {
  label: string
  /** It destroys or takes away: it is red, and always asks first. */
  isDanger: boolean
}

/** An act on a row, a page or a selection. */
export const action = <B = void>(label: string, spec: ActionSpec<B>): Action<B> => ({ label, isDanger: false, ...spec })

/** An act that destroys or takes away. */
export const danger = <B = void>(label: string, spec: ActionSpec<B>): Action<B> => ({ label, isDanger: true, ...spec })

/** What a server answers that does the work in the background. */
export function taskIdOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('taskId' in answer)) return undefined
  return typeof answer.taskId === 'string' ? answer.taskId : undefined
}
