/*
 * No test has a style sheet, but jsdom goes through that of a browser for each computed style: for a test that looks for
 * things by their roles, a third of its time. What is left without sheets is an element's own style, whether it is
 * hidden, and whether its text is set apart from its neighbours', which its accessible name depends on.
 */

const inline = new Set(
  'a abbr b bdi bdo cite code em i kbd label mark path q s samp small span strong sub sup svg u var'.split(' '),
)

function displayOf(element: Element, own: string): string {
  if (element.hasAttribute('hidden')) return 'none'
  return own || (inline.has(element.localName) ? 'inline' : 'block')
}

export function ownStyle(element: Element): CSSStyleDeclaration {
  const style = (element as HTMLElement).style
  const display = () => displayOf(element, style.display)
  return new Proxy(style, {
    get(_, key) {
      if (key === 'display') return display()
      if (key === 'getPropertyValue') {
        return (name: string) => (name === 'display' ? display() : style.getPropertyValue(name))
      }
      const value: unknown = Reflect.get(style, key)
      return typeof value === 'function' ? value.bind(style) : value
    },
  })
}
