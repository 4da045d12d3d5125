import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { StatusTag } from '@/ui/status-tag'
import { operationState } from './choices'
import { messages } from './messages'

/** The state of an operation; one that has finished says whether something failed. */
export function OperationState({ of }: { of: { state: number; succeeded: number; failed: number } }) {
  const m = useMessages(messages)
  if (of.state !== operationState.value.finished || of.failed === 0)
    return <ChoiceLabel choices={operationState} value={of.state} />
  return of.succeeded > 0 ? (
    <StatusTag tone="warn">{m.partlyFailed}</StatusTag>
  ) : (
    <StatusTag tone="bad">{m.allFailed}</StatusTag>
  )
}
