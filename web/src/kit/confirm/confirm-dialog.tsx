import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { Modal } from '@/ui/modal'
import type { Action } from '../action'
import { FieldArea } from '../form/field-area'
import { useForm } from '../form/use-form'
import { kitMessages } from '../messages'

interface ConfirmDialogProps {
  act: Action
  target: string | undefined
  perform: (act: Action, body: unknown) => Promise<void>
  onClose: () => void
}

/** Asks before an act, saying what it will hit, and takes what the act needs to know. Stays open when it fails. */
export default function ConfirmDialog({ act, target, perform, onClose }: ConfirmDialogProps) {
  const m = useMessages(kitMessages)
  const form = useForm<Record<string, unknown>>({ defaultValues: {} })
  const [isBusy, setBusy] = useState(false)

  async function confirm() {
    if (isBusy || !(await form.validate())) return
    setBusy(true)
    try {
      await perform(act, form.values())
      onClose()
    } catch (error) {
      form.showFailure(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Modal
      open
      centered
      width={440}
      title={act.label}
      okText={act.label}
      cancelText={m.cancel}
      okButtonProps={{ danger: act.isDanger, autoFocus: !act.ask }}
      cancelButtonProps={{ disabled: isBusy }}
      confirmLoading={isBusy}
      mask={{ closable: false }}
      closable={!isBusy}
      keyboard={!isBusy}
      onOk={() => void confirm()}
      onCancel={onClose}
    >
      {act.confirm && <p className="kit-question">{act.confirm}</p>}
      {target && target !== act.confirm && <p className="kit-target">{target}</p>}
      <FieldArea form={form} onSubmit={() => void confirm()}>
        {act.ask}
      </FieldArea>
    </Modal>
  )
}
