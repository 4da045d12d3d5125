import type { Action } from '../action'
import { FormDialog } from '../form/form-dialog'
import { useForm } from '../form/use-form'

interface ConfirmDialogProps {
  act: Action
  target: string | undefined
  perform: (act: Action, body: unknown) => Promise<void>
  onClose: () => void
}

/** Asks before an action, saying what it affects, and takes what the action needs to know. */
export default function ConfirmDialog({ act, target, perform, onClose }: ConfirmDialogProps) {
  const form = useForm<Record<string, unknown>>({ defaultValues: act.values ?? {} })

  async function save(body: unknown) {
    await perform(act, body)
    onClose()
  }

  return (
    <FormDialog
      form={form}
      save={save}
      title={act.label}
      okText={act.label}
      isDanger={act.isDanger}
      hasFields={Boolean(act.ask)}
      onClose={onClose}
    >
      {act.confirm && <p className="kit-question">{act.confirm}</p>}
      {target && target !== act.confirm && <p className="kit-target">{target}</p>}
      {act.ask}
    </FormDialog>
  )
}
