import { type ReactNode, Suspense, useCallback, useEffect, useRef } from 'react'
import { useMessages } from '@/i18n/messages'
import { Modal } from '@/ui/modal'
import { kitMessages } from '../messages'
import { FieldArea } from './field-area'
import { focusFirst } from './focus-first'
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

/** Beside fields that are still being loaded: it is mounted when all of them are. */
function AllThere({ tell }: { tell: () => void }) {
  useEffect(tell, [tell])
  return null
}

/** The shell of a short question: sends once, shows what the server refuses, and stays open when it fails. */
export function FormDialog<T extends object>(props: FormDialogProps<T>) {
  const m = useMessages(kitMessages)
  const { form, isDanger = false, hasFields = false } = props
  const { isBusy, submit } = useSubmit(form, props.save, () => undefined)
  // Fields that are not there yet could not object: a press that comes before them waits for them.
  const areFieldsThere = useRef(false)
  const isPressed = useRef(false)
  const fields = useRef<HTMLDivElement>(null)
  const newest = useRef(submit)
  newest.current = submit
  const tell = useCallback(() => {
    areFieldsThere.current = true
    if (isPressed.current) newest.current()
    isPressed.current = false
  }, [])
  const submitAll = () => {
    if (areFieldsThere.current) submit()
    else isPressed.current = true
  }
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
      onOk={submitAll}
      onCancel={props.onClose}
      afterOpenChange={(isOpen) => focusFirst(isOpen && hasFields, fields)}
    >
      <div ref={fields}>
        <FieldArea form={form} onSubmit={submitAll}>
          <Suspense>
            {props.children}
            <AllThere tell={tell} />
          </Suspense>
        </FieldArea>
      </div>
    </Modal>
  )
}
