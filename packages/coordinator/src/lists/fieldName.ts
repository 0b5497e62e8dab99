const NAME = /^[A-Za-z][A-Za-z_-]{0,23}$/;

/** Whether what stands where a field's name belongs may be shown: anything longer could be a value in the wrong place. */
export const isShowable = (name: string): boolean => NAME.test(name);
