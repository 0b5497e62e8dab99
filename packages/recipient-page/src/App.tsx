/** Bar, view and foot. */
export const App = () => <main id="main">My pay</main>;
