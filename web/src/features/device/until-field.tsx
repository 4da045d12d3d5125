import { TimeField } from '@/kit/form/time-field'

/** The date picker, for a dialog that has one; loaded with it. */
export default function UntilField(props: { name: string; label: string }) {
  return <TimeField {...props} />
}
