import { useMessages } from '@/i18n/messages'
import { FormDialog } from '@/kit/form/form-dialog'
import { ReasonField } from '@/kit/form/reason-field'
import { useForm } from '@/kit/form/use-form'
import { shellMessages } from './messages'

interface WhyDialogProps {
  name: string
  /** Nobody has said yet whose card it is. */
  isOptional: boolean
  onGiven: (reason: string) => void
  onClose: () => void
}

/** Whoever opens a shell on a card that has a customer's phone says why. */
export function WhyDialog({ name, isOptional, onGiven, onClose }: WhyDialogProps) {
  const m = useMessages(shellMessages)
  const form = useForm<{ reason?: string }>({ defaultValues: {} })
  return (
    <FormDialog
      form={form}
      save={async ({ reason = '' }) => onGiven(reason)}
      title={m.title(name)}
      okText={m.open}
      hasFields
      onClose={onClose}
    >
      <p className="kit-question">{isOptional ? m.maybeWhy : m.why}</p>
      <ReasonField optional={isOptional} />
    </FormDialog>
  )
}
