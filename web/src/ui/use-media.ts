import { useSyncExternalStore } from 'react'

/** Whether a media query holds; the component follows it. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (heard) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', heard)
      return () => media.removeEventListener('change', heard)
    },
    () => window.matchMedia(query).matches,
  )
}
