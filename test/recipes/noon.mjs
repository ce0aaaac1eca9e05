// Loaded before a recipe: its clock stands still, so that what it prints is the same every day.
const NOON = Date.UTC(2026, 10, 30, 12);
Date.now = () => NOON;
