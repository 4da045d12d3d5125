import { lazy, Suspense } from 'react'

const Drawer = lazy(() => import('./shell-drawer'))

/** A shell on a card. The terminal is loaded when the first one is opened. */
export function ShellDrawer(props: { card: number; name: string; onClose: () => void }) {
  return (
    <Suspense>
      <Drawer {...props} />
    </Suspense>
  )
}
