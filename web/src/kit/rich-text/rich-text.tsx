import { lazy, Suspense } from 'react'

const Text = lazy(() => import('@/ui/rich-text'))

/** A formatted text, cleaned before it is shown. What cleans it is loaded with the first one. */
export function RichText({ html }: { html: string | null | undefined }) {
  if (!html) return <span className="sky-soft">—</span>
  return (
    <Suspense>
      <Text html={html} />
    </Suspense>
  )
}
