//! Settings: reading, defaults, errors.

use outflank_search::{Method, SearchConfig};

#[test]
fn settings_are_read_with_their_defaults() {
    assert_eq!(
        toml::from_str::<SearchConfig>("").expect("valid"),
        SearchConfig::default()
    );
    let config: SearchConfig =
        toml::from_str("method = 'puct'\nsimulations = 800\n[puct]\nc_init = 3.0").expect("valid");
    assert_eq!(
        (config.method, config.simulations, config.puct.c_init),
        (Method::Puct, 800, 3.0)
    );
    let text = toml::to_string(&config).expect("plain tables");
    assert_eq!(
        toml::from_str::<SearchConfig>(&text).expect("what was written"),
        config
    );
}

#[test]
fn unknown_settings_are_refused_by_name() {
    for (text, key) in [
        ("simulation = 3", "simulation"),
        ("[gumbel]\nc_scales = 1", "c_scales"),
    ] {
        let error = toml::from_str::<SearchConfig>(text).expect_err(text);
        assert!(error.to_string().contains(key), "{error}");
    }
}

#[test]
fn settings_out_of_range_are_named_with_the_range() {
    assert_eq!(SearchConfig::default().validate(), Ok(()));
    let broken = [
        (
            "margin_weight = 1.5",
            "margin_weight is 1.5; expected a number from 0 to 1",
        ),
        (
            "margin_weight = nan",
            "margin_weight is NaN; expected a number from 0 to 1",
        ),
        (
            "leaves_in_flight = 0",
            "leaves_in_flight is 0; expected a whole number from 1 to 4096",
        ),
        (
            "[gumbel]\nc_scale = 0.0",
            "gumbel.c_scale is 0; expected a number above 0, at most 1000000",
        ),
        (
            "[puct]\nc_base = inf",
            "puct.c_base is inf; expected a number above 0, at most 1000000",
        ),
        (
            "[puct]\nvirtual_loss = -1.0",
            "puct.virtual_loss is -1; expected a number from 0 to 1000000",
        ),
    ];
    for (text, message) in broken {
        let config: SearchConfig = toml::from_str(text).expect(text);
        assert_eq!(config.validate().expect_err(text).to_string(), message);
    }
}
