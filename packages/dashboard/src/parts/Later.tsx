import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { TroubleNotice } from './Trouble.tsx';

/** A view whose code is loaded when it is first shown: whoever looks at public pages only loads none of it. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  return function Later(props: P) {
    const [Show, setShow] = useState<ComponentType<P> | undefined>(() => loaded);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      load().then((component) => {
        loaded = component;
        setShow(() => component);
      }, setError);
    }, []);
    if (error !== undefined) return <TroubleNotice error={error} />;
    return Show === undefined ? <p role="status">Loading …</p> : <Show {...props} />;
  };
}
