import { type ReactNode, useState } from 'react'
import { ApiFailure } from '@/api/failure'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ActionButtons, RowActions } from '@/kit/action-buttons'
import { NumberField, TextField } from '@/kit/form/fields'
import { FormDialog } from '@/kit/form/form-dialog'
import { FormDrawer } from '@/kit/form/form-drawer'
import { MoneyField } from '@/kit/form/money-field'
import { ReasonField } from '@/kit/form/reason-field'
import { StepsDrawer } from '@/kit/form/steps-drawer'
import { TimeRangeField } from '@/kit/form/time-range-field'
import { useForm } from '@/kit/form/use-form'
import { Loaded } from '@/kit/loaded'
import { OrderDrawer } from '@/kit/order/order-drawer'
import { OrderList } from '@/kit/order/order-list'
import StepUpDialog from '@/kit/step-up/step-up-dialog'
import { ImportDrawer } from '@/kit/upload/import-drawer'
import { useActions } from '@/kit/use-actions'
import { port } from '@/rules/network'
import { required } from '@/rules/texts'
import { Button } from '@/ui/button'
import { messages } from './messages'
import { failure, wait } from './samples'

export function Acts() {
  const m = useMessages(messages)
  const runner = useActions()
  const acts = [
    action(m.edit, { run: wait }),
    danger(m.remove, { confirm: m.removeQuestion, ask: <ReasonField />, run: wait }),
    danger(`${m.remove} 2`, { blocked: m.inUse, run: wait }),
    action(`${m.edit} 2`, { blocked: m.inUse, run: wait }),
  ]
  return (
    <div className="preview-row">
      <RowActions name={m.sample(1)} runner={runner} acts={acts} />
      <ActionButtons runner={runner} target={m.sample(1)} acts={acts} primary />
      {runner.host}
    </div>
  )
}

/** A button that opens something. */
function Opener({ label, children }: { label: string; children: (close: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{label}</Button>
      {isOpen && children(() => setOpen(false))}
    </>
  )
}

export function Shells() {
  const m = useMessages(messages)
  return (
    <div className="preview-row">
      <Opener label={m.openForm}>{(close) => <PartForm onClose={close} />}</Opener>
      <Opener label={m.openSteps}>{(close) => <PartSteps onClose={close} />}</Opener>
      <Opener label={m.openDialog}>{(close) => <PartDialog onClose={close} />}</Opener>
      <Opener label={m.openProof}>{(close) => <StepUpDialog withCode onAnswer={close} />}</Opener>
      <Opener label={m.openImport}>
        {(close) => (
          <ImportDrawer
            title={m.openImport}
            messages={messages}
            calls="clientUserImport"
            columns={['name', 'phone', 'port']}
            onClose={close}
          />
        )}
      </Opener>
    </div>
  )
}

interface Part {
  name: string
  port: number
}

/** The server refuses whatever is sent, so that this is seen as well. */
function useRefusal() {
  const { inUse } = useMessages(messages)
  const errors = [{ field: 'port', code: 'taken', message: inUse }]
  return () => Promise.reject(new ApiFailure({ status: 4000, httpStatus: 400, msg: '', errors }))
}

function PartForm({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Part>({ defaultValues: {} })
  return (
    <FormDrawer form={form} save={useRefusal()} title={m.openForm} messages={messages} onClose={onClose}>
      <TextField name="name" rules={[required]} />
      <NumberField name="port" rules={[port]} />
    </FormDrawer>
  )
}

function PartSteps({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Part>({ defaultValues: {} })
  return (
    <StepsDrawer
      form={form}
      save={useRefusal()}
      title={m.openSteps}
      messages={messages}
      onClose={onClose}
      steps={[
        {
          key: 'who',
          title: m.stepWho,
          fields: (
            <>
              <TextField name="name" rules={[required]} />
              <NumberField name="port" rules={[port]} />
            </>
          ),
        },
        {
          key: 'more',
          title: m.stepMore,
          fields: (
            <>
              <MoneyField name="price" rules={[required]} />
              <TimeRangeField name="period" />
            </>
          ),
        },
      ]}
    />
  )
}

function PartDialog({ onClose }: { onClose: () => void }) {
  const m = useMessages(messages)
  const form = useForm<Part>({ defaultValues: {} })
  return (
    <FormDialog form={form} save={useRefusal()} title={m.openDialog} okText={m.edit} hasFields onClose={onClose}>
      <NumberField name="port" label={m.fields.port} rules={[required, port]} />
    </FormDialog>
  )
}

export function Orders() {
  const m = useMessages(messages)
  const parts = Array.from({ length: 4 }, (_, at) => ({ id: at + 1 }))
  const [items, setItems] = useState<readonly { id: number }[]>(parts)
  const nameOf = ({ id }: { id: number }) => m.sample(id)
  return (
    <>
      <OrderList label={m.parts.order} items={items} nameOf={nameOf} onChange={setItems} />
      <Opener label={m.openOrder}>
        {(close) => <OrderDrawer title={m.openOrder} items={parts} nameOf={nameOf} save={wait} onClose={close} />}
      </Opener>
    </>
  )
}

export function Loads() {
  const m = useMessages(messages)
  const refetch = () => undefined
  return (
    <>
      <Loaded query={{ data: undefined, error: null, refetch }}>{() => null}</Loaded>
      <Loaded query={{ data: undefined, error: failure(), refetch }}>{() => null}</Loaded>
      <Loaded query={{ data: m.sample(1), error: null, refetch }}>{(name) => name}</Loaded>
    </>
  )
}
