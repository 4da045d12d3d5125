import { lazy, Suspense } from 'react'
import { useStepUp } from '@/access/step-up'

const StepUpDialog = lazy(() => import('@/kit/step-up/step-up-dialog'))

/** Asks to confirm the identity whenever a call on any page requires it. */
export function StepUp() {
  const asking = useStepUp()
  if (!asking) return null
  return (
    <Suspense fallback={null}>
      <StepUpDialog withCode={asking.withCode} onAnswer={asking.answer} />
    </Suspense>
  )
}
