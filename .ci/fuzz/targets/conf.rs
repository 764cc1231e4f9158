//! manticore.conf: any text is read or refused with a place and a reason.
//!
//! Must hold: no panic; reading is a function of the text; whatever was read prints as values that SHOW VARIABLES can show; a refusal
//! names at least one problem.

#![no_main]

use chimera::config;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    match config::read(&text, "fuzz.conf") {
        Ok(config) => {
            assert!(!config.listeners.is_empty());
            let values = config::variables(&config.settings);
            assert!(values.iter().all(|(name, _)| !name.is_empty()));
            let again = config::read(&text, "fuzz.conf").expect("read before");
            assert_eq!(config.settings, again.settings);
        }
        Err(errors) => {
            assert!(!errors.problems.is_empty());
            assert!(!errors.to_string().is_empty());
        }
    }
});
