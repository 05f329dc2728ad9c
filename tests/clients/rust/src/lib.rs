//! What the programs of this folder share: their arguments, and lines for tests/clients/steps.py.

/// Arguments of a program.
pub struct Session {
    pub url: String,
    pub token: String,
    pub credential: String,
    pub names: Vec<(String, String)>,
}

impl Session {
    /// The arguments of this process.
    pub fn of_arguments() -> Self {
        let mut given = std::env::args().skip(1);
        let mut next = || given.next().expect("arguments: URL TOKEN CREDENTIAL KIND=NAME ...");
        let (url, token, credential) = (next(), next(), next());
        let pairs = given.map(|pair| pair.split_once('=').map(|(kind, name)| (kind.into(), name.into())));
        Self { url, token, credential, names: pairs.collect::<Option<_>>().expect("KIND=NAME") }
    }
}

/// Report a step that is done.
pub fn did(step: &str) {
    println!("step {step}");
}
