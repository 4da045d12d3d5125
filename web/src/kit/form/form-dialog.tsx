import type { ReactNode } from 'react'
import { useMessages } from '@/i18n/messages'
import { Modal } from '@/ui/modal'
import { kitMessages } from '../messages'
import { FieldArea } from './field-area'
import { useSubmit } from './form-drawer'
import type { FormHandle } from './use-form'
import type { Save } from './use-save'

interface FormDialogProps<T extends object> {
  form: FormHandle<T>
  /** What the button does; closing is its business too. */
  save: Save<T>
  title: string
  okText: string
  isDanger?: boolean
  /** The cursor begins in a field, and not on the button. */
  hasFields?: boolean
  onClose: () => void
  children: ReactNode
}

/** The shell of a short question: sends once, shows what the server refuses, and stays open when it fails. */
export function FormDialog<T extends object>(props: FormDialogProps<T>) {
  const m = useMessages(kitMessages)
  const { form, isDanger = false, hasFields = false } = props
  const { isBusy, submit } = useSubmit(form, props.save, () => undefined)
  return (
    <Modal
      open
      centered
      width={440}
      title={props.title}
      okText={props.okText}
      cancelText={m.cancel}
      okButtonProps={{ danger: isDanger, autoFocus: !hasFields }}
      cancelButtonProps={{ disabled: isBusy }}
      confirmLoading={isBusy}
      mask={{ closable: false }}
      closable={!isBusy}
      keyboard={!isBusy}
      onOk={submit}
      onCancel={props.onClose}
    >
      <FieldArea form={form} onSubmit={submit}>
        {props.children}
      </FieldArea>
    </Modal>
  )
}
